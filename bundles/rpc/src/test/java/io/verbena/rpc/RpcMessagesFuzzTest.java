package io.verbena.rpc;

import io.verbena.fuzzing.FuzzTarget;
import io.verbena.fuzzing.Fuzzer;
import io.verbena.fuzzing.capture.IwarpSends;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** RPC headers, including captured ones between Linux's client and server. */
class RpcMessagesFuzzTest {
    private static final RpcCall PLAIN = new RpcCall(1, 2, 3, Credential.none());

    private static final int LARGEST_BODY = 64;

    /** The inline RPC messages of a capture: those whose Version One header has no chunks. */
    private static List<byte[]> captured(int type) {
        int header = 28;
        return TcpCapture.read(TcpCapture.LINUX_NFS41_OVER_SIW).values().stream()
                .flatMap(stream -> IwarpSends.read(stream).stream())
                .map(IwarpSends.Sent::message)
                .filter(message -> message.limit() > header + 8
                        && message.getInt(header) == message.getInt(0)
                        && message.getInt(header + RpcMessages.TYPE_OFFSET) == type)
                .map(message -> message.slice(header, message.limit() - header))
                .map(message -> {
                    byte[] octets = new byte[message.remaining()];
                    message.get(octets);
                    return octets;
                })
                .toList();
    }

    /** The common part of the targets for calls and replies. */
    private abstract static class Target implements FuzzTarget {
        final XdrReader reader = new XdrReader();
        private final List<byte[]> captured;

        Target(int type) {
            captured = captured(type);
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            if (random.nextInt(4) == 0) {
                return captured.get(random.nextInt(captured.size()));
            }
            XdrWriter out = new XdrWriter();
            write(out, random);
            for (int i = random.nextInt(LARGEST_BODY / 4); i > 0; i--) {
                out.putInt(random.nextInt());
            }
            return out.toByteArray();
        }

        abstract void write(XdrWriter out, RandomGenerator random);

        static <T> T any(T[] values, RandomGenerator random) {
            return values[random.nextInt(values.length)];
        }

        @Override
        public String refusal(Exception refusal) {
            if (refusal instanceof RpcRejectedException rejected) {
                return rejected.reason().name();
            }
            return refusal instanceof XdrException ? "refused" : null;
        }

        @Override
        public long allowance(int length) {
            return 2048 + 8L * length;
        }
    }

    private static final class Replies extends Target {
        private int end;

        Replies() {
            super(RpcMessages.REPLY);
        }

        @Override
        void write(XdrWriter out, RandomGenerator random) {
            int xid = random.nextInt();
            switch (random.nextInt(4)) {
                case 0 -> RpcMessages.writeProgramMismatch(out, xid, random.nextInt(5), random.nextInt(5));
                case 1 -> RpcMessages.writeRpcMismatch(out, xid);
                case 2 -> RpcMessages.writeAuthError(out, xid, any(AuthStatus.values(), random));
                default -> RpcMessages.writeAccepted(out, xid, OpaqueAuth.NONE, any(AcceptStatus.values(), random));
            }
        }

        @Override
        public String decode(ByteBuffer in, int offset, int length) throws XdrException, RpcException {
            RpcMessages.readReply(reader.wrap(in.limit(offset + length).position(offset)), PLAIN);
            end = reader.position();
            return "SUCCESS";
        }

        @Override
        public long digest() {
            return end;
        }

        /** Zero after a successful call. */
        @Override
        public long settledAllowance(int length, boolean accepted) {
            return accepted ? 0 : allowance(length);
        }
    }

    private static final class Calls extends Target {
        private CallHeader call = new CallHeader(0, 0, 0, 0, 0, Credential.none(), 0, OpaqueAuth.NONE);

        Calls() {
            super(RpcMessages.CALL);
        }

        @Override
        void write(XdrWriter out, RandomGenerator random) {
            List<Integer> groups =
                    IntStream.range(0, random.nextInt(17)).boxed().toList();
            Credential credential = random.nextInt(3) == 0
                    ? Credential.none()
                    : new Credential.Sys(random.nextInt(), "host-ä".repeat(random.nextInt(9)), 1, 2, groups);
            new RpcCall(out, 100003, random.nextInt(5), random.nextInt(3), credential).setXid(random.nextInt());
        }

        @Override
        public String decode(ByteBuffer in, int offset, int length) throws XdrException {
            call = RpcMessages.readCall(reader.wrap(in.limit(offset + length).position(offset)));
            if (call.rpcVersion() != RpcMessages.RPC_VERSION) {
                return "another RPC version";
            }
            return call.credential().getClass().getSimpleName();
        }

        @Override
        public long digest() {
            return Objects.hash(call.xid(), call.program(), call.version(), call.procedure(), call.credential());
        }

        /**
         * The decoder keeps only the XID of a call of another RPC version, and calls are written without a verifier.
         */
        @Override
        public int encode(ByteBuffer out) {
            if (call.rpcVersion() != RpcMessages.RPC_VERSION || !call.verifier().equals(OpaqueAuth.NONE)) {
                return -1;
            }
            RpcCall again = new RpcCall(call.program(), call.version(), call.procedure(), call.credential());
            again.setXid(call.xid());
            again.message().copyFull(out);
            return out.position();
        }
    }

    @Test
    void shouldRefuseOrDecodeWhateverReplyComes() {
        Fuzzer.run("rpc replies", new Replies());
    }

    @Test
    void shouldRefuseOrDecodeWhateverCallComes() {
        Fuzzer.run("rpc calls", new Calls());
    }
}
