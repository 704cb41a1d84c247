package io.verbena.nfs41;

import io.verbena.fuzzing.FuzzTarget;
import io.verbena.fuzzing.Fuzzer;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** COMPOUND requests and replies of one to four operations, each of any kind. */
class CompoundFuzzTest {
    private static final class Target implements FuzzTarget {
        private static final int MAX_OPERATIONS = 4;

        private final boolean replies;
        private final List<Samples.Sample<?>> samples;
        /** By the words that stand before a body: opcode, and status where it is a result. */
        private final Map<List<Integer>, Samples.Decoder<?>> decoders = new HashMap<>();

        private final List<Object> decoded = new ArrayList<>();
        private final XdrReader reader = new XdrReader();

        Target(boolean replies) {
            this.replies = replies;
            samples = Samples.all().stream()
                    .filter(sample -> sample.head().size() == (replies ? 2 : 1))
                    .toList();
            samples.forEach(sample -> decoders.put(sample.head(), sample.decoder()));
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            XdrWriter out = new XdrWriter();
            int operations = 1 + random.nextInt(MAX_OPERATIONS);
            if (replies) {
                int statusAt = Compound.encodeResult(out, "tag");
                Compound.finishResult(out, statusAt, "tag", Status.NFS4_OK, operations);
            } else {
                Compound.encodeArgs(out, new Compound.Args("tag", Compound.MINOR_VERSION, operations));
            }
            for (int i = 0; i < operations; i++) {
                byte[] operation = samples.get(random.nextInt(samples.size())).encoded();
                out.putFixedOpaque(operation);
            }
            return out.toByteArray();
        }

        @Override
        public void prepare(int run) {
            decoded.clear();
        }

        @Override
        public String decode(ByteBuffer in, int offset, int length) throws XdrException {
            reader.wrap(in.limit(offset + length).position(offset));
            int operations;
            if (replies) {
                Compound.Result head = Compound.decodeResult(reader);
                decoded.add(head);
                operations = head.operations();
            } else {
                Compound.Args head = Compound.decodeArgs(reader);
                decoded.add(head);
                operations = head.operations();
            }
            for (int i = 0; i < operations; i++) {
                Samples.Decoder<?> decoder = decoders.get(head());
                if (decoder == null) {
                    return "ends with another operation or status";
                }
                decoded.add(decoder.decode(reader));
            }
            return "decoded";
        }

        private List<Integer> head() throws XdrException {
            return replies ? List.of(reader.getInt(), reader.getInt()) : List.of(reader.getInt());
        }

        @Override
        public long digest() {
            return 31L * reader.position() + decoded.hashCode();
        }

        @Override
        public String refusal(Exception refusal) {
            return refusal instanceof XdrException ? "refused" : null;
        }

        /**
         * An attribute's mask of 16 octets may name 96 values, for which there is room before it turns out that they
         * are not there: once a directory entry.
         */
        @Override
        public long allowance(int length) {
            return 4096 + 20L * length;
        }
    }

    @Test
    void shouldRefuseOrDecodeWhateverReplyComes() {
        Fuzzer.run("nfs replies", new Target(true));
    }

    @Test
    void shouldRefuseOrDecodeWhateverCallComes() {
        Fuzzer.run("nfs calls", new Target(false));
    }
}
