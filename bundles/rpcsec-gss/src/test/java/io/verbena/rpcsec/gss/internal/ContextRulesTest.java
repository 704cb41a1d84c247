package io.verbena.rpcsec.gss.internal;

import static io.verbena.rpcsec.gss.internal.GssFixture.INTEGRITY;
import static io.verbena.rpcsec.gss.internal.GssFixture.PROGRAM;
import static io.verbena.rpcsec.gss.internal.GssFixture.SOON;
import static io.verbena.rpcsec.gss.internal.GssFixture.at;
import static io.verbena.rpcsec.gss.internal.GssFixture.patched;
import static io.verbena.rpcsec.gss.internal.GssFixture.reader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.ietf.jgss.GSSContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How contexts are made (RFC 2203 sections 5.1 and 5.2), octet by octet. */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class ContextRulesTest {
    private static final int PROCEDURE = 20;
    private static final int VERSION = 32;
    private static final int GSS_PROCEDURE = 36;
    private static final int SEQUENCE = 40;
    private static final int SERVICE = 44;
    private static final int HANDLE = 48;

    private final Kerberos kerberos;
    private GssFixture ends;

    ContextRulesTest(Kerberos kerberos) {
        this.kerberos = kerberos;
    }

    @BeforeEach
    void begin() throws Exception {
        ends = new GssFixture(kerberos, ProtectionService.INTEGRITY);
    }

    @AfterEach
    void end() {
        ends.close();
    }

    private CompletableFuture<ContextCall.Result> send(DirectConnection by, byte[] handle) {
        return ContextCall.send(
                by, PROGRAM, 1, ByteBuffer.wrap(handle), ProtectionService.INTEGRITY, new byte[] {1, 2, 3, 4}, SOON);
    }

    @Test
    @Proves({"GSS-3-1", "GSS-5-1", "GSS-5.1-2", "GSS-5.2.2-1", "GSS-5.2.2-2", "GSS-5.2.2-5"})
    void shouldBeginByTheNullProcedure() throws Exception {
        ends.establish();
        byte[] call = ends.connection.sent.get(0);
        assertThat(at(call, 12)).isEqualTo(PROGRAM);
        assertThat(at(call, 16)).isEqualTo(1);
        assertThat(at(call, PROCEDURE)).isZero();
        assertThat(at(call, 24)).as("flavor").isEqualTo(6);
        assertThat(at(call, 28)).as("octets of the credential").isEqualTo(20);
        assertThat(at(call, VERSION)).isEqualTo(1);
        assertThat(at(call, GSS_PROCEDURE)).as("INIT").isEqualTo(1);
        assertThat(at(call, HANDLE)).as("octets of the handle").isZero();
        assertThat(at(call, 52)).as("flavor of the verifier").isZero();
        assertThat(at(call, 56)).as("octets of the verifier").isZero();
        int token = at(call, 60);
        assertThat(token).isPositive();
        assertThat(call).hasSize(64 + XdrWriter.roundUp(token));
    }

    @Test
    @Proves({"GSS-5-1", "GSS-5.2.2-3", "GSS-5.2.3.2-3"})
    void shouldNameTheContextThatAnotherTokenIsOf() {
        CompletableFuture<ContextCall.Result> answer = send(ends.connection, new byte[] {9, 8, 7, 6});
        byte[] call = ends.connection.sent.get(0);
        assertThat(at(call, PROCEDURE)).isZero();
        assertThat(at(call, GSS_PROCEDURE)).as("CONTINUE_INIT").isEqualTo(2);
        assertThat(at(call, HANDLE)).isEqualTo(4);
        assertThat(at(call, 52)).isEqualTo(0x09080706);
        assertThat(answer)
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(RpcRejectedException.class)
                .withMessageContaining("RPCSEC_GSS_CREDPROBLEM");
    }

    @Test
    @Proves("GSS-5.2.2-4")
    void shouldIgnoreNumberAndServiceOfACallForAContext() throws Exception {
        ends.connection.out = call -> patched(patched(call, SEQUENCE, -1), SERVICE, 99);
        ends.establish();
        ends.connection.out = UnaryOperator.identity();
        assertThat(ends.echo()).containsExactly(1, 2, 3, 4);
    }

    @Test
    @Proves("GSS-5.2.2-1")
    void shouldMakeNoContextByAnotherProcedure() {
        ends.connection.out = call -> patched(call, PROCEDURE, 1);
        assertThatThrownBy(ends::establish).hasMessageContaining("AUTH_BADCRED");
        assertThat(ends.server.contexts().size()).isZero();
        assertThat(ends.executed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, -1})
    @Proves("GSS-5.1-1")
    void shouldDenyAnotherVersion(int version) throws Exception {
        ends.establish();
        byte[] begin = patched(ends.connection.sent.get(0), VERSION, version);
        assertThat(ends.send(begin).outcome).isEqualTo("AUTH_REJECTEDCRED");
        byte[] header = patched(GssFixture.header(1, 0, 1, INTEGRITY, ends.handle()), VERSION, version);
        byte[] data = GssFixture.join(
                header, ends.client.context().mechanism().mic(header), ends.body(INTEGRITY, 1, GssFixture.ARGUMENTS));
        assertThat(ends.send(data).outcome).isEqualTo("AUTH_REJECTEDCRED");
        assertThat(ends.executed).isEmpty();
    }

    @Test
    @Proves({"GSS-3-1", "GSS-5.2.3.1-1", "GSS-5.2.3.1-2", "GSS-5.3.3.1-6"})
    void shouldAnswerWithTheContextAndAProof() throws Exception {
        AtomicReference<byte[]> reply = new AtomicReference<>();
        ends.connection.way = octets -> {
            reply.set(octets);
            return octets;
        };
        ends.establish();
        XdrReader in = reader(reply.get());
        assertThat(in.getInt()).isEqualTo(at(ends.connection.sent.get(0), 0));
        assertThat(in.getInt()).as("REPLY").isEqualTo(1);
        assertThat(in.getInt()).as("MSG_ACCEPTED").isZero();
        assertThat(in.getInt()).as("flavor of the verifier").isEqualTo(6);
        byte[] proof = in.getOpaque(400);
        assertThat(in.getInt()).as("SUCCESS").isZero();
        byte[] handle = in.getOpaque(400);
        assertThat(in.getInt()).as("major status").isZero();
        assertThat(in.getInt()).as("minor status").isZero();
        int window = in.getInt();
        assertThat(in.getOpaque(65536)).isNotEmpty();
        in.requireEnd();
        assertThat(handle).isEqualTo(ends.handle()).isNotEmpty();
        assertThat(window).isGreaterThanOrEqualTo(256);
        byte[] number = {(byte) (window >>> 24), (byte) (window >>> 16), (byte) (window >>> 8), (byte) window};
        ends.client.context().mechanism().verify(proof, number);
        assertThat(ends.echo()).containsExactly(1, 2, 3, 4);
    }

    @Test
    @Proves({"GSS-5.2.3.1-3", "GSS-5.2.3.2-1", "GSS-5.2.3.2-2"})
    void shouldTellWhatIsWrongWithAToken() {
        AtomicReference<byte[]> reply = new AtomicReference<>();
        ends.connection.out = call -> patched(call, call.length - 8, ~at(call, call.length - 8));
        ends.connection.way = octets -> {
            reply.set(octets);
            return octets;
        };
        assertThatThrownBy(ends::establish)
                .isInstanceOf(SecurityUnavailableException.class)
                .hasMessageContaining("the server refuses the user's proof");
        assertThat(ends.client.isEstablished()).isFalse();
        assertThat(ends.server.contexts().size()).isZero();
        byte[] octets = reply.get();
        assertThat(at(octets, 8)).as("MSG_ACCEPTED").isZero();
        assertThat(at(octets, 12)).as("flavor of the verifier").isZero();
        assertThat(at(octets, 16)).as("octets of the verifier").isZero();
        assertThat(at(octets, 20)).as("SUCCESS").isZero();
        assertThat(at(octets, 24)).as("octets of the handle").isZero();
        assertThat(at(octets, 28) >>> 16).as("routine error of GSS-API").isPositive();
    }

    /** Another checksum, the checksum of another window, and another flavor. */
    @ParameterizedTest
    @ValueSource(strings = {"checksum", "window", "flavor"})
    @Proves("GSS-5.2.3.1.1-1")
    void shouldTakeNoContextWithoutAProof(String changed) {
        ends.connection.way = reply -> {
            int behind = 20 + at(reply, 16); // the verifier
            int windowAt = behind + 4 + 4 + at(reply, behind + 4) + 8;
            return switch (changed) {
                case "checksum" -> patched(reply, behind - 4, ~at(reply, behind - 4));
                case "window" -> patched(reply, windowAt, at(reply, windowAt) + 1);
                default -> patched(reply, 12, 1);
            };
        };
        assertThatThrownBy(ends::establish).isInstanceOf(java.io.IOException.class);
        assertThat(ends.client.isEstablished()).isFalse();
    }

    @Test
    @Proves("GSS-5.2.3.1.1-2")
    void shouldWantBothEndsToBeReady() {
        ends.connection.way = reply -> {
            int behind = 20 + at(reply, 16);
            int tokenAt = behind + 4 + 4 + at(reply, behind + 4) + 12;
            return patched(java.util.Arrays.copyOf(reply, tokenAt + 4), tokenAt, 0);
        };
        assertThatThrownBy(ends::establish)
                .isInstanceOf(SecurityUnavailableException.class)
                .hasMessageContaining("has not proved who it is");
        ends.connection.way = reply -> {
            int behind = 20 + at(reply, 16);
            return patched(reply, behind + 4 + 4 + at(reply, behind + 4), 1); // CONTINUE_NEEDED
        };
        assertThatThrownBy(ends::establish).isInstanceOf(PeerProtocolException.class);
        assertThat(ends.client.isEstablished()).isFalse();
    }

    @Test
    @Proves("GSS-5-3")
    void shouldTakeNoHandleThatFitsInNoCredential() throws Exception {
        assertThat(answered(380).get(20, TimeUnit.SECONDS).handle().remaining()).isEqualTo(380);
        assertThat(answered(384)).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(XdrException.class);
    }

    private CompletableFuture<ContextCall.Result> answered(int handleOctets) {
        DirectConnection by = new DirectConnection(request -> {
            request.results().putOpaque(new byte[handleOctets]).putInt(0).putInt(0);
            request.results().putInt(8).putOpaque(new byte[4]);
            request.reply();
        });
        return send(by, new byte[0]);
    }

    @Test
    @Proves("GSS-5.2.1-1")
    void shouldLeaveReplaysAndOrderToTheSequenceNumbers() throws Exception {
        ends.establish();
        GSSContext one = GssFixture.raw(ends.client.context().mechanism());
        GSSContext other = GssFixture.raw(ends.kept().mechanism());
        for (GSSContext each : new GSSContext[] {one, other}) {
            assertThat(each.getReplayDetState()).isFalse();
            assertThat(each.getSequenceDetState()).isFalse();
        }
    }

    @Test
    @Proves("GSS-5.2-1")
    void shouldSendNothingBeforeThereIsAContext() throws Exception {
        assertThatThrownBy(ends::echo).cause().isInstanceOfSatisfying(RpcRejectedException.class, failure -> assertThat(
                        failure.authStatus())
                .isEqualTo(AuthStatus.RPCSEC_GSS_CTXPROBLEM));
        assertThat(ends.connection.sent).isEmpty();
    }
}
