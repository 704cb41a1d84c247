package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.internal.TraceService;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

/** A trace of the provider in software, read by independent dissectors. Needs tshark. */
@Tag("tshark")
class TraceIT {
    private static final int SIZE = 300_002;

    @TempDir
    private static Path folder;

    private static TraceStatus status;
    private static WireReport report;

    /** Traces two mounts: one exists before the trace begins, and the other one begins and ends during the trace. */
    @BeforeAll
    static void trace() throws Exception {
        assumeTrue(WireReport.isPossible(), "no tshark: traces are not checked");
        Path exported = Files.createDirectory(folder.resolve("exported"));
        byte[] content = new byte[SIZE];
        new Random(20049).nextBytes(content);
        Files.write(exported.resolve("read"), content);
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        try (VerbenaStack stack = new VerbenaStack();
                NfsServer server = new NfsServer(
                        ExportSettings.of("trace", exported).withSquash(nobody),
                        folder.resolve("state"),
                        new SystemRuntime());
                RpcListener listener = stack.serve(server, 0, Map.of());
                NfsMount before = stack.mount(listener.localAddress(), "/", "rpcrdma=1")) {
            assertThat(before.list("/")).hasSize(1);
            TraceService traces = new TraceService(bundles(stack::observe, stack::forget));
            traces.start(folder.resolve("trace.pcapng"), false);
            assertThat(before.list("/")).hasSize(1);
            try (NfsMount within = stack.mount(listener.localAddress(), "/", "rpcrdma=1,nocrc")) {
                assertThat(Transfer.read(within, "/read", SIZE).finish()).isEqualTo(content);
                byte[] written = Transfer.write(within, "/written", SIZE).finish();
                assertThat(exported.resolve("written")).hasBinaryContent(written);
            }
            assertThat(Transfer.read(before, "/read", SIZE).finish()).isEqualTo(content);
            assertThat(traces.status()).isPresent();
            status = traces.stop();
            assertThat(traces.status()).isEmpty();
        }
        report = WireReport.ofTrace(folder.resolve("trace.pcapng"));
    }

    /** A framework that accepts only the service that a trace registers. */
    static BundleContext bundles(Consumer<WireObserver> come, Consumer<WireObserver> gone) {
        return proxy(BundleContext.class, (method, arguments) -> {
            assertThat(method).isEqualTo("registerService");
            WireObserver observer = (WireObserver) arguments[1];
            come.accept(observer);
            return proxy(ServiceRegistration.class, (called, none) -> {
                assertThat(called).isEqualTo("unregister");
                gone.accept(observer);
                return null;
            });
        });
    }

    private interface Called {
        Object call(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Called called) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> called.call(method.getName(), arguments)));
    }

    @Test
    void shouldWriteAllOfBothConnectionsAndDropNothing() throws Exception {
        assertThat(status.connections()).isEqualTo(2);
        assertThat(status.dropped()).isZero();
        assertThat(status.octets()).isGreaterThan(3 * SIZE);
        assertThat(report.missingOctets()).isZero();
        assertThat(report.leftOctets()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(status.file())))
                .isEqualTo("rw-------");
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("a dissector reads every frame of a trace as MPA, DDP and RDMAP, and none is malformed")
    void shouldMeetNoMalformedFrame() {
        assertThat(report.unread()).isEmpty();
        assertThat(report.malformed()).isEmpty();
        assertThat(report.fpdus()).isGreaterThan(50);
        assertThat(report.badCrcs()).isZero();
        assertThat(report.goodCrcs()).isPositive();
    }

    @Test
    @DisplayName("a dissector follows every call of a trace and its reply down to NFS")
    void shouldBeReadDownToNfs() {
        assertThat(report.calls()).hasSizeGreaterThan(10);
        assertThat(report.replies()).isEqualTo(report.calls());
        assertThat(report.operations()).contains("18", "25", "38", "42", "43", "44", "53");
        assertThat(report.sentTwice()).isEmpty();
        assertThat(report.errors()).isEmpty();
    }
}
