package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections and mounts, thousands in a long run, leave no resources behind in the process. */
class LeakTest {
    private static final int CONNECTIONS = Extent.of(2_000, 10_000);
    private static final int MOUNTS = Extent.of(200, 1_000);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    @TempDir
    private Path state;

    private Set<String> threadsBefore;
    private VerbenaStack stack;
    private RdmaRpcTransport transport;
    private NfsServer server;
    private RpcListener listener;

    @BeforeEach
    void serve() throws IOException {
        threadsBefore = Holdings.threadNames();
        stack = new VerbenaStack();
        transport = stack.transport();
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(ExportSettings.of("leak", directory).withSquash(nobody), state, new SystemRuntime());
        listener = stack.serve(server, 0);
    }

    @AfterEach
    void end() throws IOException {
        listener.close();
        server.close();
        stack.close();
        await(() -> threadsBefore.containsAll(Holdings.threadNames()));
        assertThat(Holdings.threadNames()).as("threads that outlive all").isSubsetOf(threadsBefore);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws Exception {
        cycleConnections(100); // objects that are created once and kept are created here
        Holdings before = Holdings.now();
        cycleConnections(CONNECTIONS);
        assertSettlesAt(before);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyMounts() throws Exception {
        cycleMounts(20);
        Holdings before = Holdings.now();
        cycleMounts(MOUNTS);
        assertSettlesAt(before);
        assertThat(server.counters()).containsEntry("sessions", 0L).containsEntry("clients", 0L);
    }

    private void cycleConnections(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            RpcConnection connection = transport.connect(ConnectOptions.to(listener.localAddress()));
            connection.close();
        }
    }

    private void cycleMounts(int count) throws IOException {
        InetSocketAddress address = listener.localAddress();
        for (int i = 0; i < count; i++) {
            try (NfsMount mount = NfsMount.create(
                    "leak",
                    address.getAddress().getHostAddress(),
                    "/",
                    "port=" + address.getPort(),
                    transport,
                    stack.memory(),
                    new SystemRuntime())) {
                mount.connect(TIMEOUT);
                assertThat(mount.list("/")).isEmpty();
            }
        }
    }

    /** Waits until the remaining resources are gone: the accepting side may end a moment after the connecting one. */
    private void assertSettlesAt(Holdings before) {
        await(() -> transport.connections().isEmpty()
                && stack.memory().leasedBytes() == 0
                && Holdings.now().isWithin(before));
        assertThat(stack.memory().holdings()).as("shares of the memory budget").isEmpty();
        assertThat(transport.connections()).isEmpty();
        Holdings after = Holdings.now();
        assertThat(after.threads()).as("threads").isSubsetOf(before.threads());
        assertThat(after.descriptors()).as("open sockets, pipes and files").hasSizeLessThanOrEqualTo(before.size());
        assertThat(after.directOctets())
                .as("octets of direct memory")
                .isLessThanOrEqualTo(before.directOctets() + Holdings.SLACK);
        assertThat(after.heapOctets())
                .as("octets of the heap after a collection")
                .isLessThanOrEqualTo(before.heapOctets() + Holdings.SLACK);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            System.gc(); // frees the direct memory of unreachable buffers
            Thread.onSpinWait();
        }
    }
}
