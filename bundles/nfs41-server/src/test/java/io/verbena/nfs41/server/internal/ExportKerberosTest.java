package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.Compound;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.KerberosSettings;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import io.verbena.runtime.SystemRuntime;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An export with Kerberos, whose implementation comes and goes. */
class ExportKerberosTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @TempDir
    Path temporary;

    private final FakeTransport transport = new FakeTransport();
    private ExportService export;

    @BeforeEach
    void start() throws Exception {
        ExportSettings settings = ExportSettings.of("docs", Files.createDirectory(temporary.resolve("export")))
                .withSecurity(ExportSecurity.of(SecurityKind.KRB5P, SecurityKind.SYS));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        KerberosSettings kerberos =
                new KerberosSettings(Path.of("/keytab"), Optional.of("nfs/host@EXAMPLE.ORG"), Optional.empty(), 2049);
        export = new ExportService(
                new ExportOptions(settings, ListenOptions.on(address), false, kerberos, null),
                temporary.resolve("state"),
                ServerMemory.ofHeap(),
                new SystemRuntime());
    }

    @AfterEach
    void stop() {
        export.close();
    }

    /** Marks the calls that it takes. */
    private record MarkingProgram(RpcProgram inner) implements RpcProgram {
        @Override
        public int program() {
            return inner.program();
        }

        @Override
        public int lowVersion() {
            return inner.lowVersion();
        }

        @Override
        public int highVersion() {
            return inner.highVersion();
        }

        @Override
        public void handle(RpcRequest request) {
            request.fail(AcceptStatus.SYSTEM_ERR);
        }
    }

    private static final class FakeSecurity implements RpcSecurity {
        final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final IOException failure;
        volatile boolean portIsTaken;

        FakeSecurity(IOException failure) {
            this.failure = failure;
        }

        @Override
        public Subject ticketCache(Path cache) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Subject keytab(Path keytab, String principal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Subject serverKeytab(Path keytab, String principal) throws SecurityUnavailableException {
            events.add("keytab " + keytab + " " + principal);
            return new Subject();
        }

        @Override
        public SecurityClient client(UserLogin user, String service, ProtectionService protection) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SecurityServer server(Subject server, String service, Set<ProtectionService> allowed)
                throws IOException {
            if (failure != null) {
                throw failure;
            }
            events.add("server " + service + " " + allowed);
            return new SecurityServer() {
                @Override
                public RpcProgram protect(RpcProgram program) {
                    events.add("protect");
                    return new MarkingProgram(program);
                }

                @Override
                public void listen(InetSocketAddress local, RpcProgram program) throws IOException {
                    if (portIsTaken) {
                        throw new IOException("Address already in use");
                    }
                    events.add("listen " + local.getPort() + " " + program.program());
                }

                @Override
                public void close() {
                    events.add("close");
                }
            };
        }

        void expect(String event) throws InterruptedException {
            assertThat(events.poll(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo(event);
        }

        void expectServer() throws InterruptedException {
            expect("keytab /keytab nfs/host@EXAMPLE.ORG");
            expect("server nfs@host [NONE, INTEGRITY, PRIVACY]");
        }
    }

    /** Keeps the program that is listened for. */
    private static final class FakeTransport implements RpcTransport {
        private final BlockingQueue<RpcProgram> programs = new LinkedBlockingQueue<>();

        @Override
        public RpcConnection connect(ConnectOptions options) throws IOException {
            throw new IOException("not here");
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            programs.add(program);
            return (RpcListener) Proxy.newProxyInstance(
                    RpcListener.class.getClassLoader(),
                    new Class<?>[] {RpcListener.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "localAddress" -> options.local();
                        case "settings" -> Map.of();
                        default -> null;
                    });
        }

        RpcProgram program() throws InterruptedException {
            return programs.poll(BOUND.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static FakeRequest gss(int procedure) {
        byte[] body = new XdrWriter().putInt(1).putInt(procedure).putInt(0).toByteArray();
        return new FakeRequest(new Credential.Other(new OpaqueAuth(6, body)), Compound.PROC_NULL, new XdrWriter());
    }

    private static String outcome(RpcProgram program, FakeRequest request) throws Exception {
        program.handle(request);
        return request.outcome();
    }

    private static void requireOff(RpcProgram program) throws Exception {
        assertThat(program.takesFlavor(6)).isTrue();
        assertThat(outcome(program, gss(0))).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        assertThat(outcome(program, gss(1))).isEqualTo("AUTH_FAILED");
        assertThat(outcome(program, gss(2))).isEqualTo("AUTH_FAILED");
        assertThat(outcome(program, gss(3))).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        FakeRequest empty = new FakeRequest(
                new Credential.Other(new OpaqueAuth(6, new byte[0])), Compound.PROC_NULL, new XdrWriter());
        assertThat(outcome(program, empty)).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        Credential sys = new Credential.Sys(0, "test", 0, 0, List.of());
        assertThat(outcome(program, new FakeRequest(sys, Compound.PROC_NULL, new XdrWriter())))
                .isEqualTo("SUCCESS");
    }

    @Test
    void shouldListenWithTheServicePresentAndGoOnWithout() throws Exception {
        FakeSecurity first = new FakeSecurity(null);
        export.useSecurity(first);
        export.useTransport(transport);
        export.awaitListening(BOUND);
        RpcProgram program = transport.program();
        first.expectServer();
        first.expect("protect");
        first.expect("listen 2049 100003");
        assertThat(outcome(program, gss(0))).isEqualTo("SYSTEM_ERR");

        export.dropSecurity(first);
        requireOff(program);
        first.expect("close");
        assertThat(export.localAddress()).isPresent();

        FakeSecurity second = new FakeSecurity(null);
        export.useSecurity(second);
        second.expectServer();
        second.expect("protect");
        second.expect("listen 2049 100003");

        FakeSecurity third = new FakeSecurity(null);
        export.useSecurity(third);
        export.dropSecurity(second);
        second.expect("close");
        third.expectServer();
        third.expect("protect");
        third.expect("listen 2049 100003");
        export.close();
        third.expect("close");
        requireOff(program);
        assertThat(transport.programs).isEmpty();
    }

    @Test
    void shouldListenByAnotherTransportThoughTheServiceIsAway() throws Exception {
        FakeSecurity security = new FakeSecurity(null);
        export.useSecurity(security);
        export.useTransport(transport);
        export.awaitListening(BOUND);
        export.dropSecurity(security);
        FakeTransport other = new FakeTransport();
        export.useTransport(other);
        requireOff(other.program());
        security.expectServer();
        security.expect("protect");
        security.expect("listen 2049 100003");
        security.expect("close");
    }

    @Test
    void shouldListenWhereThePortOfContextsIsTaken() throws Exception {
        FakeSecurity security = new FakeSecurity(null);
        security.portIsTaken = true;
        export.useSecurity(security);
        export.useTransport(transport);
        export.awaitListening(BOUND);
        security.expectServer();
        security.expect("protect");
        security.portIsTaken = false;
        security.expect("listen 2049 100003"); // it is tried again
    }

    @Test
    void shouldSayThatTheFeatureIsMissingAndListenOnceItIsThere() throws Exception {
        export.useTransport(transport);
        assertThatThrownBy(() -> export.awaitListening(BOUND))
                .hasMessageContaining("install the feature verbena-rpcsec-gss");
        assertThat(transport.programs).isEmpty();
        FakeSecurity security = new FakeSecurity(null);
        export.useSecurity(security);
        assertThat(transport.program()).isNotNull();
        security.expectServer();
    }

    @Test
    void shouldSayWhyTheKeysAreOfNoUse() throws Exception {
        export.useSecurity(new FakeSecurity(new SecurityUnavailableException("there are no keys of nfs/host", null)));
        export.useTransport(transport);
        assertThatThrownBy(() -> export.awaitListening(BOUND))
                .hasMessage("cannot export " + export.directory() + ": there are no keys of nfs/host");
        assertThat(transport.programs).isEmpty();
    }
}
