package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.conformance.Proves;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcRejectedException.Reason;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpcMessagesTest {
    private static final Credential.Sys SYS = new Credential.Sys(1, "box", 2, 3, List.of(4));

    private static final RpcCall PLAIN = new RpcCall(1, 2, 3, Credential.none());

    private final XdrWriter out = new XdrWriter();

    @Test
    void shouldReadCallHeader() throws XdrException {
        XdrReader in = reader(call().toByteArray());

        assertThat(RpcMessages.readCall(in))
                .isEqualTo(new CallHeader(0xcafe, 2, 100003, 4, 1, SYS, 60, OpaqueAuth.NONE));
        assertThat(in.getInt()).as("the arguments").isEqualTo(42);
        assertThat(RpcMessages.TYPE_OFFSET).isEqualTo(4);
    }

    @Test
    void shouldReadCallOfUnknownFlavorWithVerifier() throws XdrException {
        out.putInt(7).putInt(0).putInt(2).putInt(100003).putInt(4).putInt(1);
        out.putInt(6).putOpaque(new byte[20]);
        out.putInt(6).putOpaque(new byte[13]);
        out.putInt(42);
        XdrReader in = reader();

        OpaqueAuth credential = new OpaqueAuth(6, new byte[20]);
        OpaqueAuth verifier = new OpaqueAuth(6, new byte[13]);
        assertThat(RpcMessages.readCall(in))
                .isEqualTo(new CallHeader(7, 2, 100003, 4, 1, new Credential.Other(credential), 52, verifier));
        assertThat(in.getInt()).isEqualTo(42);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, -1})
    void shouldLeaveCallOfAnotherRpcVersionUnread(int rpcVersion) throws XdrException {
        out.putInt(7).putInt(0).putInt(rpcVersion);

        CallHeader header = RpcMessages.readCall(reader());

        assertThat(header.xid()).isEqualTo(7);
        assertThat(header.rpcVersion()).isEqualTo(rpcVersion);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, -1})
    void shouldNotTakeAnythingElseForACall(int type) {
        out.putInt(7).putInt(type).putInt(2).putFixedOpaque(new byte[40]);

        assertRefusedAt(4, () -> RpcMessages.readCall(reader()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, -1})
    void shouldNotTakeAnythingElseForAReply(int type) {
        out.putInt(7).putInt(type).putInt(0).putFixedOpaque(new byte[40]);

        assertRefusedAt(4, () -> RpcMessages.readReply(reader(), PLAIN));
    }

    @Test
    void shouldWriteAcceptedReplyAtItsOffsets() throws Exception {
        RpcMessages.writeAccepted(out, 0xcafe, OpaqueAuth.NONE, AcceptStatus.SUCCESS);

        ByteBuffer octets = ByteBuffer.wrap(out.toByteArray());
        assertThat(octets.limit()).isEqualTo(24);
        assertThat(octets.getInt(0)).as("xid").isEqualTo(0xcafe);
        assertThat(octets.getInt(4)).as("REPLY").isEqualTo(1);
        assertThat(octets.getInt(8)).as("MSG_ACCEPTED").isZero();
        assertThat(octets.getInt(12)).as("verifier's flavor").isZero();
        assertThat(octets.getInt(16)).as("verifier's length").isZero();
        assertThat(octets.getInt(20)).as("SUCCESS").isZero();

        out.putInt(42);
        XdrReader in = reader();
        RpcMessages.readReply(in, PLAIN);
        assertThat(in.getInt()).as("the results").isEqualTo(42);
    }

    @ParameterizedTest
    @CsvSource({
        "PROG_UNAVAIL, 1, PROG_UNAVAIL",
        "PROC_UNAVAIL, 3, PROC_UNAVAIL",
        "GARBAGE_ARGS, 4, GARBAGE_ARGS",
        "SYSTEM_ERR, 5, SYSTEM_ERR"
    })
    void shouldWriteAndReadAcceptStatus(AcceptStatus status, int code, Reason reason) {
        RpcMessages.writeAccepted(out, 1, OpaqueAuth.NONE, status);

        assertThat(ByteBuffer.wrap(out.toByteArray()).getInt(20)).isEqualTo(code);
        assertThat(rejection().reason()).isEqualTo(reason);
        assertThat(rejection().authStatus()).isEqualTo(AuthStatus.AUTH_OK);
    }

    @Test
    void shouldWriteAndReadProgramMismatch() {
        RpcMessages.writeProgramMismatch(out, 1, 3, 0xffffffff);

        ByteBuffer octets = ByteBuffer.wrap(out.toByteArray());
        assertThat(octets.getInt(20)).as("PROG_MISMATCH").isEqualTo(2);
        assertThat(octets.getInt(24)).isEqualTo(3);
        assertThat(octets.getInt(28)).isEqualTo(0xffffffff);
        assertThat(octets.limit()).isEqualTo(32);
        assertThat(rejection().reason()).isEqualTo(Reason.PROG_MISMATCH);
        assertThat(rejection()).hasMessageContaining("3 to 4294967295");
    }

    @Test
    void shouldWriteAndReadRpcMismatch() {
        RpcMessages.writeRpcMismatch(out, 0xcafe);

        ByteBuffer octets = ByteBuffer.wrap(out.toByteArray());
        assertThat(octets.getInt(0)).isEqualTo(0xcafe);
        assertThat(octets.getInt(4)).as("REPLY").isEqualTo(1);
        assertThat(octets.getInt(8)).as("MSG_DENIED").isEqualTo(1);
        assertThat(octets.getInt(12)).as("RPC_MISMATCH").isZero();
        assertThat(octets.getInt(16)).isEqualTo(2);
        assertThat(octets.getInt(20)).isEqualTo(2);
        assertThat(octets.limit()).isEqualTo(24);
        assertThat(rejection().reason()).isEqualTo(Reason.RPC_MISMATCH);
        assertThat(rejection()).hasMessageContaining("2 to 2");
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadAuthError(AuthStatus status) {
        RpcMessages.writeAuthError(out, 1, status);

        ByteBuffer octets = ByteBuffer.wrap(out.toByteArray());
        assertThat(octets.getInt(8)).as("MSG_DENIED").isEqualTo(1);
        assertThat(octets.getInt(12)).as("AUTH_ERROR").isEqualTo(1);
        assertThat(octets.getInt(16)).isEqualTo(status.code());
        assertThat(octets.limit()).isEqualTo(20);
        assertThat(rejection().reason()).isEqualTo(Reason.AUTH_ERROR);
        assertThat(rejection().authStatus()).isEqualTo(status);
        assertThat(rejection()).hasMessageContaining(status.name());
    }

    @ParameterizedTest
    @CsvSource({
        "1, AUTH_BADCRED",
        "2, AUTH_REJECTEDCRED",
        "3, AUTH_BADVERF",
        "4, AUTH_REJECTEDVERF",
        "5, AUTH_TOOWEAK",
        "6, AUTH_INVALIDRESP",
        "7, AUTH_FAILED",
        "13, RPCSEC_GSS_CREDPROBLEM",
        "14, RPCSEC_GSS_CTXPROBLEM",
        "8, AUTH_FAILED",
        "-1, AUTH_FAILED"
    })
    @Proves("GSS-4-1")
    void shouldReadAuthStatusByNumber(int code, AuthStatus status) {
        out.putInt(1).putInt(1).putInt(1).putInt(1).putInt(code);

        assertThat(rejection().authStatus()).isEqualTo(status);
    }

    @Test
    void shouldReadReplyWithVerifier() throws Exception {
        out.putInt(1)
                .putInt(1)
                .putInt(0)
                .putInt(6)
                .putOpaque(new byte[5])
                .putInt(0)
                .putInt(42);
        XdrReader in = reader();

        RpcMessages.readReply(in, PLAIN);

        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldRefuseStatusesThatThereAreNot() {
        out.putInt(1).putInt(1).putInt(2);
        assertRefusedAt(8, () -> RpcMessages.readReply(reader(), PLAIN));

        out.reset();
        out.putInt(1).putInt(1).putInt(0).putInt(0).putInt(0).putInt(6);
        assertRefusedAt(20, () -> RpcMessages.readReply(reader(), PLAIN));

        out.reset();
        out.putInt(1).putInt(1).putInt(1).putInt(2);
        assertRefusedAt(12, () -> RpcMessages.readReply(reader(), PLAIN));
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 0x7fffffff, -1})
    void shouldRefuseVerifiersOverTheLimit(int length) {
        out.putInt(1).putInt(1).putInt(0).putInt(0).putInt(length).putFixedOpaque(new byte[500]);

        assertRefusedAt(16, () -> RpcMessages.readReply(reader(), PLAIN));
    }

    @Test
    void shouldRefuseHeadersCutOffAnywhere() throws Exception {
        byte[] call = Arrays.copyOf(call().toByteArray(), call().position() - 4);
        RpcMessages.readCall(reader(call));
        for (int length = 0; length < call.length; length++) {
            byte[] cut = Arrays.copyOf(call, length);
            assertThatThrownBy(() -> RpcMessages.readCall(reader(cut))).isInstanceOf(XdrException.class);
        }

        RpcMessages.writeProgramMismatch(out, 1, 2, 3);
        byte[] reply = out.toByteArray();
        for (int length = 0; length < reply.length; length++) {
            byte[] cut = Arrays.copyOf(reply, length);
            assertThatThrownBy(() -> RpcMessages.readReply(reader(cut), PLAIN)).isInstanceOf(XdrException.class);
        }
    }

    @Test
    void shouldRefuseDamagedHeadersAndNothingWorse() {
        Random random = new Random(5531);
        byte[] call = call().toByteArray();
        RpcMessages.writeProgramMismatch(out, 1, 2, 3);
        byte[] reply = out.toByteArray();
        for (int i = 0; i < 100_000; i++) {
            assertOnlyRefused(() -> RpcMessages.readCall(reader(damaged(call, random))));
            assertOnlyRefused(() -> RpcMessages.readReply(reader(damaged(reply, random)), PLAIN));
        }
    }

    private interface Read {
        void run() throws Exception;
    }

    private static void assertOnlyRefused(Read read) {
        try {
            read.run();
        } catch (XdrException | RpcRejectedException e) {
            assertThat(e).hasMessageMatching(".+");
        } catch (Exception e) {
            throw new AssertionError("more than a refusal", e);
        }
    }

    private static byte[] damaged(byte[] message, Random random) {
        byte[] octets = message.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(octets.length);
            octets[at] = (byte) random.nextInt();
        }
        return random.nextBoolean() ? octets : Arrays.copyOf(octets, random.nextInt(octets.length));
    }

    /** A call whose header is complete and whose arguments are an integer. */
    private static XdrWriter call() {
        RpcCall call = new RpcCall(100003, 4, 1, SYS);
        call.setXid(0xcafe);
        return call.arguments().putInt(42);
    }

    private RpcRejectedException rejection() {
        RpcRejectedException rejection =
                catchThrowableOfType(RpcRejectedException.class, () -> RpcMessages.readReply(reader(), PLAIN));
        assertThat(rejection).isNotNull();
        return rejection;
    }

    private static void assertRefusedAt(int offset, Read read) {
        XdrException refused = catchThrowableOfType(XdrException.class, read::run);
        assertThat(refused).isNotNull();
        assertThat(refused.offset()).as(refused.getMessage()).isEqualTo(offset);
    }

    private XdrReader reader() {
        return reader(out.toByteArray());
    }

    private static XdrReader reader(byte[] octets) {
        return new XdrReader(ByteBuffer.wrap(octets));
    }
}
