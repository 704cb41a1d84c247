package io.verbena.rpcsec.gss.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpcsec.gss.internal.tcp.TcpCaller;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.ExecutionException;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Contexts that are made over TCP, and used elsewhere. */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class TcpContextsTest {
    private static final int PROGRAM = 0x20000001;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final GssSecurity SECURITY = Kerberos.SECURITY;

    private final Subject alice;
    private final Subject server;
    private final Subject other;

    TcpContextsTest(Kerberos kerberos) {
        alice = kerberos.alice;
        server = kerberos.server;
        other = kerberos.data;
    }

    /** Replies to everything. */
    private record Program(int program) implements RpcProgram {
        @Override
        public int lowVersion() {
            return 1;
        }

        @Override
        public int highVersion() {
            return 1;
        }

        @Override
        public void handle(RpcRequest request) {
            request.reply();
        }
    }

    private static SecurityServer server(Subject keys, String service) throws IOException {
        return SECURITY.server(keys, service, EnumSet.allOf(ProtectionService.class));
    }

    private GssClient client(String service) {
        return (GssClient) SECURITY.client(() -> alice, service, ProtectionService.INTEGRITY);
    }

    private static InetSocketAddress freeAddress() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), probe.getLocalPort());
        }
    }

    /** Makes a context over TCP. */
    private GssClient made(InetSocketAddress at, String service) throws Exception {
        GssClient security = client(service);
        try (TcpCaller caller = new TcpCaller(at)) {
            security.establish(caller, PROGRAM, 1, SOON);
        }
        return security;
    }

    /** What becomes of a call by another way. */
    private static String use(SecurityServer by, GssClient security) throws Exception {
        XdrWriter sealed = new XdrWriter();
        security.protect(PROGRAM, 1, 1).seal(7, new XdrWriter().putInt(1), sealed);
        OneRequest request = new OneRequest(sealed.toByteArray());
        by.protect(new Program(PROGRAM)).handle(request);
        return request.outcome;
    }

    @Test
    void shouldBeKnownToServersOfTheSamePrincipal() throws Exception {
        InetSocketAddress at = freeAddress();
        SecurityServer first = server(server, "nfs@localhost");
        try (SecurityServer second = server(server, "nfs@localhost");
                SecurityServer stranger = server(other, "data@localhost")) {
            first.listen(at, new Program(PROGRAM));
            GssClient security = made(at, "nfs@localhost");
            assertThat(use(first, security)).isEqualTo("replied");
            assertThat(use(second, security)).isEqualTo("replied");
            assertThat(use(stranger, security)).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
            first.close();
            first.close();
            assertThatThrownBy(() -> first.listen(at, new Program(PROGRAM)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is being replaced");
            assertThat(use(second, security)).isEqualTo("replied");
        }
        try (SecurityServer later = server(server, "nfs@localhost")) {
            GssClient security = client("nfs@localhost");
            later.listen(at, new Program(PROGRAM)); // the port is free
            try (TcpCaller caller = new TcpCaller(at)) {
                security.establish(caller, PROGRAM, 1, SOON);
                assertThat(use(later, security)).isEqualTo("replied");
                security.end(caller, PROGRAM, 1, SOON);
                assertThat(((GssServer) later).contexts().size()).isZero();
            }
        }
    }

    @Test
    void shouldBeMadeWithEachOfTheServersThatShareAPort() throws Exception {
        InetSocketAddress at = freeAddress();
        SecurityServer nfs = server(server, "nfs@localhost");
        try (SecurityServer data = server(other, "data@localhost")) {
            nfs.listen(at, new Program(PROGRAM));
            data.listen(at, new Program(PROGRAM));
            assertThatThrownBy(() -> data.listen(at, new Program(PROGRAM + 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("serves RPC program " + PROGRAM + " already");
            assertThat(use(nfs, made(at, "nfs@localhost"))).isEqualTo("replied");
            assertThat(use(data, made(at, "data@localhost"))).isEqualTo("replied");
            assertThat(use(nfs, made(at, "data@localhost"))).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
            nfs.close();
            assertThat(use(data, made(at, "data@localhost"))).isEqualTo("replied");
            assertThatThrownBy(() -> made(at, "nfs@localhost")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldServeNothingElse() throws Exception {
        InetSocketAddress at = freeAddress();
        try (SecurityServer nfs = server(server, "nfs@localhost")) {
            nfs.listen(at, new Program(PROGRAM));
            GssClient security = client("nfs@localhost");
            try (TcpCaller caller = new TcpCaller(at)) {
                security.establish(caller, PROGRAM, 1, SOON);
                RpcCall call = new RpcCall(new XdrWriter(), PROGRAM, 1, 1, security);
                assertThatThrownBy(() -> caller.call(call, in -> "done").get())
                        .isInstanceOf(ExecutionException.class)
                        .hasMessageContaining("does not have this procedure");
            }
        }
    }

    @Test
    void shouldTellThatThePortIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SecurityServer nfs = server(server, "nfs@localhost")) {
            InetSocketAddress at = (InetSocketAddress) taken.getLocalSocketAddress();
            assertThatThrownBy(() -> nfs.listen(at, new Program(PROGRAM))).isInstanceOf(BindException.class);
        }
    }
}
