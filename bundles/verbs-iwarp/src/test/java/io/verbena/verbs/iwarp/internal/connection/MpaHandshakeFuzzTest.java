package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.fuzzing.FuzzTarget;
import io.verbena.fuzzing.Fuzzer;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** MPA requests and replies, and the parameters that this end computes from them. */
class MpaHandshakeFuzzTest {
    private static final class Target implements FuzzTarget {
        private static final int[] REVISIONS = {1, 2, 2, 2, 2};
        private static final byte[] NOTHING = {};

        private final boolean reply;
        private final ConnectionOptions limits = new ConnectionOptions(4, 4, 4, 2, Map.of());
        private final IwarpOptions options = new IwarpOptions(false, ReadyMode.READ, 0);
        private final ByteBuffer frame = ByteBuffer.allocate(MpaFrame.MAX_LENGTH);
        private final List<byte[]> captured;
        private MpaFrame decoded = new MpaFrame(false, 0, 1, 0, 0, NOTHING);
        private NegotiatedParameters negotiated;
        private byte guard;

        Target(boolean reply) {
            this.reply = reply;
            captured = TcpCapture.read(TcpCapture.LINUX_NFS41_OVER_SIW).values().stream()
                    .filter(stream -> Arrays.equals(Iwarp.mpaKey(reply), 0, 16, stream, 0, 16))
                    .map(stream -> Arrays.copyOf(stream, MpaFrame.PRIVATE_DATA + stream[19]))
                    .toList();
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            if (random.nextInt(8) == 0) {
                return captured.get(random.nextInt(captured.size()));
            }
            byte[] privateData = new byte[random.nextInt(random.nextInt(8) == 0 ? 508 : 32)];
            random.nextBytes(privateData);
            return new MpaFrame(
                            reply,
                            random.nextInt(16) << 4,
                            REVISIONS[random.nextInt(REVISIONS.length)],
                            random.nextInt(4) << 14 | random.nextInt(8),
                            random.nextInt(4) << 14 | random.nextInt(8),
                            privateData)
                    .encode()
                    .array();
        }

        @Override
        public void prepare(int run) {
            guard = (byte) (run * 0x7f);
        }

        /** The steps in which the frame is read from a connection. */
        @Override
        public String decode(ByteBuffer in, int offset, int length) throws IOException {
            negotiated = null;
            for (int i = 0; i < frame.capacity(); i += Long.BYTES) {
                frame.limit(frame.capacity()).put(i, guard);
            }
            read(in, offset, 0, MpaFrame.PRIVATE_DATA, length);
            int privateData = MpaFrame.privateDataLength(frame, reply);
            read(in, offset, MpaFrame.PRIVATE_DATA, privateData, length);
            decoded = MpaFrame.decode(frame, reply);
            if (reply) {
                negotiated = MpaHandshake.conclude(decoded, options.crc(), options.ready(), 2, 4);
                return "accepted";
            }
            if (ReadyMode.of(decoded) == null) {
                MpaHandshake.rejection(decoded, NOTHING).encode();
                return "to be rejected";
            }
            negotiated = MpaHandshake.respond(decoded, limits, options);
            MpaHandshake.acceptance(decoded, negotiated, NOTHING).encode();
            return "to be accepted";
        }

        private void read(ByteBuffer in, int offset, int at, int count, int length) throws EOFException {
            if (length < at + count) {
                throw new EOFException("closed");
            }
            frame.limit(at + count).put(at, in, offset + at, count);
        }

        @Override
        public long digest() {
            int frameDigest = Objects.hash(
                    Arrays.hashCode(decoded.privateData()),
                    decoded.flags(),
                    decoded.revision(),
                    decoded.inboundReads(),
                    decoded.outboundReads());
            return negotiated == null
                    ? frameDigest
                    : Objects.hash(
                            frameDigest,
                            negotiated.inboundReads(),
                            negotiated.outboundReads(),
                            negotiated.crc(),
                            negotiated.ready());
        }

        @Override
        public String refusal(Exception refusal) {
            negotiated = null;
            if (refusal instanceof RdmaException rdma) {
                return rdma.kind().name();
            }
            return refusal instanceof EOFException ? "cut off" : refusal instanceof IOException ? "no frame" : null;
        }

        @Override
        public int encode(ByteBuffer out) {
            out.put(decoded.encode());
            return out.position();
        }

        @Override
        public long allowance(int length) {
            return 2048 + 4L * Math.min(length, MpaFrame.MAX_LENGTH);
        }

        @Override
        public int maxLength() {
            return 600;
        }
    }

    @Test
    void shouldRefuseOrDecodeWhateverRequestComes() {
        Fuzzer.run("mpa requests", new Target(false));
    }

    @Test
    void shouldRefuseOrDecodeWhateverReplyComes() {
        Fuzzer.run("mpa replies", new Target(true));
    }
}
