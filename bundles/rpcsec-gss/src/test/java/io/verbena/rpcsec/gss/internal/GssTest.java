package io.verbena.rpcsec.gss.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Both our ends over software iWARP, with a key distribution centre in the process. */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class GssTest {
    private static final int PROGRAM = 0x20000001;
    private static final int ECHO = 1;
    private static final int MAX = 1 << 22;
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private static Path folder;

    private static final GssSecurity SECURITY = Kerberos.SECURITY;

    private final Subject alice;
    private final Path aliceKeytab;
    private final Subject server;

    GssTest(Kerberos kerberos) {
        alice = kerberos.alice;
        aliceKeytab = kerberos.aliceKeytab;
        server = kerberos.server;
    }

    /** Answers with the arguments, and remembers the last caller and what was sent. */
    private static final class Echo implements RpcProgram {
        final AtomicReference<Credential> caller = new AtomicReference<>();
        final AtomicReference<byte[]> data = new AtomicReference<>();

        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowVersion() {
            return 1;
        }

        @Override
        public int highVersion() {
            return 1;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            caller.set(request.credential());
            if (request.procedure() == ECHO) {
                ByteBuffer data = request.arguments().getData(MAX);
                request.arguments().requireEnd();
                byte[] octets = new byte[data.remaining()];
                data.duplicate().get(octets);
                this.data.set(octets);
                request.results().putData(data);
            }
            request.reply();
        }
    }

    private static final class Ends implements AutoCloseable {
        private final DirectMemory memory = new DirectMemory();
        private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), memory);
        private final RdmaRpcTransport transport = new RdmaRpcTransport(
                new SystemRuntime(),
                memory,
                provider,
                List.of(new VersionTwoFraming(), new VersionOneFraming()),
                new PrivateDataNegotiator());
        private final RpcListener listener;

        Ends(RpcProgram program) throws Exception {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            listener = transport.listen(new ListenOptions(any, 32, 16, MAX, Map.of()), program);
        }

        RpcConnection connect(String version) throws Exception {
            ConnectOptions to = ConnectOptions.to(listener.localAddress());
            return transport.connect(new ConnectOptions(
                    to.remote(),
                    to.connectTimeout(),
                    to.recoveryTimeout(),
                    to.serviceTimeout(),
                    16,
                    to.observer(),
                    to.reverse(),
                    Map.of("rpcrdma", version)));
        }

        @Override
        public void close() {
            transport.close();
            provider.deactivate();
            memory.close();
            assertThat(memory.leasedBytes()).isZero();
        }
    }

    private static CompletableFuture<Boolean> echo(RpcConnection by, SecurityClient security, int length) {
        byte[] data = new byte[length];
        new Random(length).nextBytes(data);
        ByteBuffer sink = ByteBuffer.allocateDirect(length);
        RpcCall call = new RpcCall(new XdrWriter(), PROGRAM, 1, ECHO, security).timeout(SOON);
        call.arguments().putData(ByteBuffer.wrap(data));
        call.expectData(sink);
        return by.call(call, in -> {
            assertThat(in.getDataInto(sink)).isEqualTo(length);
            in.requireEnd();
            return sink.flip().equals(ByteBuffer.wrap(data));
        });
    }

    static Stream<Arguments> protections() {
        return Stream.of("1", "2").flatMap(version -> Stream.of(ProtectionService.values())
                .map(service -> Arguments.of(version, service)));
    }

    @ParameterizedTest
    @MethodSource("protections")
    @Proves({"V1-10.2-1", "ULB-8-1"})
    void shouldCarryCallsOfAnySizeAndTellWhoCalls(String version, ProtectionService service) throws Exception {
        Echo program = new Echo();
        try (SecurityServer accepting =
                        SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(program));
                SecurityClient security = SECURITY.client(() -> alice, "nfs@localhost", service)) {
            RpcConnection connection = ends.connect(version);
            security.establish(connection, PROGRAM, 1, SOON);
            for (int length : new int[] {0, 1, 4, 3000, 5000, 70_001, 1 << 20}) {
                assertThat(echo(connection, security, length).get(20, TimeUnit.SECONDS))
                        .isTrue();
            }
            assertThat(program.caller.get())
                    .isEqualTo(new Credential.Proved(6, "alice@" + Kdc.REALM, service.number()));
        }
    }

    @Test
    @Proves({"GSS-5.3.3.3-1", "GSS-5.3.3.3-3"})
    void shouldMakeAnotherContextWhereTheServerHasForgottenIt() throws Exception {
        try (GssServer accepting =
                        (GssServer) SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(new Echo()));
                SecurityClient security = SECURITY.client(() -> alice, "nfs@localhost", ProtectionService.INTEGRITY)) {
            RpcConnection connection = ends.connect("1");
            security.establish(connection, PROGRAM, 1, SOON);
            accepting.contexts().clear();
            Throwable failure = echo(connection, security, 10)
                    .handle((done, thrown) -> thrown)
                    .get(20, TimeUnit.SECONDS);
            assertThat(security.isContextLost(failure)).isTrue();
            security.establish(connection, PROGRAM, 1, SOON);
            assertThat(echo(connection, security, 10).get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(accepting.contexts().size()).isOne();
        }
    }

    @Test
    @Proves({"GSS-5.4-1", "GSS-5.4-2"})
    void shouldHaveTheServerForgetTheContextAtItsEnd() throws Exception {
        try (GssServer accepting =
                        (GssServer) SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(new Echo()));
                SecurityClient security = SECURITY.client(() -> alice, "nfs@localhost", ProtectionService.PRIVACY)) {
            RpcConnection connection = ends.connect("1");
            security.establish(connection, PROGRAM, 1, SOON);
            assertThat(accepting.contexts().size()).isOne();
            security.end(connection, PROGRAM, 1, SOON);
            assertThat(accepting.contexts().size()).isZero();
            assertThat(security.isEstablished()).isFalse();
        }
    }

    @Test
    void shouldUseAContextNoLongerThanItsTicketLasts() throws Exception {
        try (GssServer accepting =
                        (GssServer) SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(new Echo()));
                GssClient security =
                        (GssClient) SECURITY.client(() -> alice, "nfs@localhost", ProtectionService.NONE)) {
            RpcConnection connection = ends.connect("1");
            security.establish(connection, PROGRAM, 1, SOON);
            KerberosTicket ticket = alice.getPrivateCredentials(KerberosTicket.class).stream()
                    .filter(each -> each.getServer().getName().startsWith("nfs/localhost"))
                    .findFirst()
                    .orElseThrow();
            Duration lasts = Duration.between(Instant.now(), ticket.getEndTime().toInstant());
            long now = System.nanoTime();
            assertThat(security.context().hasEnded(now + lasts.minusMinutes(3).toNanos()))
                    .isFalse();
            assertThat(security.context().hasEnded(now + lasts.toNanos())).isTrue();
        }
    }

    /** A token that is none, and more of them at once than there is room for. */
    @Test
    @Proves("GSS-5.2.3.2-1")
    void shouldRefuseWhoHasNoProof() throws Exception {
        Echo program = new Echo();
        try (SecurityServer accepting =
                        SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(program))) {
            RpcConnection connection = ends.connect("1");
            List<CompletableFuture<ContextCall.Result>> all = Stream.generate(() -> ContextCall.send(
                            connection,
                            PROGRAM,
                            1,
                            ByteBuffer.allocate(0),
                            ProtectionService.NONE,
                            new byte[] {1, 2, 3},
                            SOON))
                    .limit(500)
                    .toList();
            for (CompletableFuture<ContextCall.Result> each : all) {
                ContextCall.Result refused = each.get(20, TimeUnit.SECONDS);
                assertThat(refused.major()).isNotZero();
                assertThat(refused.handle().remaining()).isZero();
            }
            assertThat(program.caller).hasNullValue();
        }
    }

    /** Any octet of a call that is changed on its way: nothing is executed, and nothing is told. */
    @ParameterizedTest
    @EnumSource(ProtectionService.class)
    @Proves({"GSS-5.3.3.1-1", "GSS-5.3.3.1-4"})
    void shouldExecuteNothingThatWasChangedOrSentAgain(ProtectionService service) throws Exception {
        Echo program = new Echo();
        try (GssServer accepting =
                        (GssServer) SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(program));
                GssClient security = (GssClient) SECURITY.client(() -> alice, "nfs@localhost", service)) {
            RpcConnection connection = ends.connect("1");
            security.establish(connection, PROGRAM, 1, SOON);
            RpcProgram guarded = accepting.protect(program);
            int length = sealed(security).length;
            for (int at = 0; at < length; at++) {
                byte[] changed = sealed(security);
                changed[at] ^= 4;
                OneRequest request = new OneRequest(changed);
                if (!request.isReadable() || (service == ProtectionService.NONE && at >= request.argumentsAt())) {
                    continue; // no transport passes it on; or it is not protected
                }
                guarded.handle(request);
                if (request.outcome.equals("replied")) {
                    // flags and rotation of an encrypted token are in the clear (RFC 4121 section 4.2.6.2)
                    assertThat(service).as("octet %d", at).isEqualTo(ProtectionService.PRIVACY);
                    assertThat(at - request.argumentsAt()).isBetween(4, 4 + 16);
                    assertThat(program.data.get()).as("octet %d", at).containsExactly(1, 2, 3, 4);
                } else {
                    assertThat(program.caller).as("octet %d", at).hasNullValue();
                    assertThat(request.outcome)
                            .as("octet %d", at)
                            .isIn("AUTH_BADCRED", "AUTH_REJECTEDCRED", "RPCSEC_GSS_CREDPROBLEM", "GARBAGE_ARGS");
                }
                program.caller.set(null);
            }
            byte[] octets = sealed(security);
            OneRequest once = new OneRequest(octets);
            guarded.handle(once);
            assertThat(once.outcome).isEqualTo("replied");
            program.caller.set(null);
            OneRequest again = new OneRequest(octets);
            guarded.handle(again);
            assertThat(again.outcome).isEqualTo("dropped");
            assertThat(program.caller).hasNullValue();
        }
    }

    /** A call with a sequence number of its own. */
    private static byte[] sealed(GssClient security) throws Exception {
        XdrWriter sealed = new XdrWriter();
        security.protect(PROGRAM, 1, ECHO).seal(7, new XdrWriter().putOpaque(new byte[] {1, 2, 3, 4}), sealed);
        return sealed.toByteArray();
    }

    @Test
    @Proves("GSS-5.2-1")
    void shouldSendNothingWithoutAContext() throws Exception {
        Echo program = new Echo();
        try (Ends ends = new Ends(program);
                SecurityClient security = SECURITY.client(() -> alice, "nfs@localhost", ProtectionService.PRIVACY)) {
            RpcConnection connection = ends.connect("1");
            Throwable failure = echo(connection, security, 10)
                    .handle((done, thrown) -> thrown)
                    .get(20, TimeUnit.SECONDS);
            assertThat(security.isContextLost(failure)).isTrue();
            assertThat(program.caller).hasNullValue();
        }
    }

    @Test
    void shouldRefuseLessThanIsAllowed() throws Exception {
        Echo program = new Echo();
        try (SecurityServer accepting =
                        SECURITY.server(server, "nfs@localhost", EnumSet.of(ProtectionService.PRIVACY));
                Ends ends = new Ends(accepting.protect(program));
                SecurityClient security = SECURITY.client(() -> alice, "nfs@localhost", ProtectionService.INTEGRITY)) {
            RpcConnection connection = ends.connect("1");
            security.establish(connection, PROGRAM, 1, SOON);
            assertThatThrownBy(() -> echo(connection, security, 10).get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("AUTH_TOOWEAK");
            assertThat(program.caller).hasNullValue();
        }
    }

    @Test
    void shouldTellWhatIsMissing() throws Exception {
        assertThatThrownBy(() -> SECURITY.keytab(folder.resolve("none"), "alice"))
                .isInstanceOf(SecurityUnavailableException.class)
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> SECURITY.serverKeytab(aliceKeytab, Kdc.SERVICE))
                .isInstanceOf(SecurityUnavailableException.class)
                .hasMessageContaining("alice.keytab has no keys of " + Kdc.SERVICE);
        assertThatThrownBy(() -> SECURITY.ticketCache(folder.resolve("cache")))
                .isInstanceOf(SecurityUnavailableException.class)
                .hasMessageContaining("run kinit");
        try (SecurityServer accepting =
                        SECURITY.server(server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
                Ends ends = new Ends(accepting.protect(new Echo()));
                SecurityClient elsewhere = SECURITY.client(() -> alice, "nfs@elsewhere.test", ProtectionService.NONE);
                SecurityClient nobody = SECURITY.client(Subject::new, "nfs@localhost", ProtectionService.NONE)) {
            RpcConnection connection = ends.connect("1");
            assertThatThrownBy(() -> elsewhere.establish(connection, PROGRAM, 1, SOON))
                    .isInstanceOf(SecurityUnavailableException.class)
                    .hasMessageContaining("knows no service nfs/elsewhere.test");
            assertThatThrownBy(() -> nobody.establish(connection, PROGRAM, 1, SOON))
                    .isInstanceOf(SecurityUnavailableException.class)
                    .hasMessageContaining("run kinit");
        }
    }
}
