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

/** COMPOUND and CB_COMPOUND requests and replies of one to four operations, each of any kind. */
class CompoundFuzzTest {
    /** What a message begins with. */
    private enum Head {
        CALL,
        CALLBACK,
        REPLY;

        void encode(XdrWriter out, int operations) {
            switch (this) {
                case CALL -> Compound.encodeArgs(out, new Compound.Args("tag", Compound.MINOR_VERSION, operations));
                case CALLBACK ->
                    CbCompound.encodeArgs(out, new CbCompound.Args("tag", Compound.MINOR_VERSION, operations));
                case REPLY -> {
                    int statusAt = Compound.encodeResult(out, "tag");
                    Compound.finishResult(out, statusAt, "tag", Status.NFS4_OK, operations);
                }
            }
        }

        /** Adds it to what was decoded; tells how many operations follow. */
        int decode(XdrReader in, List<Object> decoded) throws XdrException {
            switch (this) {
                case CALL -> {
                    Compound.Args head = Compound.decodeArgs(in);
                    decoded.add(head);
                    return head.operations();
                }
                case CALLBACK -> {
                    CbCompound.Args head = CbCompound.decodeArgs(in);
                    decoded.add(head);
                    return head.operations();
                }
                case REPLY -> {
                    Compound.Result head = Compound.decodeResult(in);
                    decoded.add(head);
                    return head.operations();
                }
            }
            throw new IllegalStateException(name());
        }
    }

    private static final class Target implements FuzzTarget {
        private static final int MAX_OPERATIONS = 4;

        private final Head kind;
        private final List<Samples.Sample<?>> samples;
        /** By the words that stand before a body: opcode, and status where it is a result. */
        private final Map<List<Integer>, Samples.Decoder<?>> decoders = new HashMap<>();

        private final List<Object> decoded = new ArrayList<>();
        private final XdrReader reader = new XdrReader();

        Target(Head kind, List<Samples.Sample<?>> all) {
            this.kind = kind;
            samples = all.stream()
                    .filter(sample -> sample.head().size() == (kind == Head.REPLY ? 2 : 1))
                    .toList();
            samples.forEach(sample -> decoders.put(sample.head(), sample.decoder()));
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            XdrWriter out = new XdrWriter();
            int operations = 1 + random.nextInt(MAX_OPERATIONS);
            kind.encode(out, operations);
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
            int operations = kind.decode(reader, decoded);
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
            int opcode = reader.getInt();
            return kind == Head.REPLY ? List.of(opcode, reader.getInt()) : List.of(opcode);
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
        Fuzzer.run("nfs replies", new Target(Head.REPLY, Samples.all()));
    }

    @Test
    void shouldRefuseOrDecodeWhateverCallComes() {
        Fuzzer.run("nfs calls", new Target(Head.CALL, Samples.all()));
    }

    @Test
    void shouldRefuseOrDecodeWhateverCallbackComes() {
        Fuzzer.run("nfs callbacks", new Target(Head.CALLBACK, CallbackSamples.all()));
    }

    @Test
    void shouldRefuseOrDecodeWhateverCallbackReplyComes() {
        Fuzzer.run("nfs callback replies", new Target(Head.REPLY, CallbackSamples.all()));
    }
}
