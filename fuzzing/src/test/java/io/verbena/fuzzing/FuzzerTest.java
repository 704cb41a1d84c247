package io.verbena.fuzzing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The fuzzer finds each kind of fault, in decoders with exactly this fault. */
class FuzzerTest {
    private static final long SEED = 5;
    private static final int INPUTS = 100_000;
    private static final Pattern REPLAY = Pattern.compile("-Dfuzz.input=([0-9a-f]*)");

    /** Decodes a length and as many octets; the result is their sum. */
    private static class Sound implements FuzzTarget {
        int sum;
        int length;

        @Override
        public byte[] sample(RandomGenerator random) {
            byte[] message = new byte[4 + random.nextInt(20)];
            random.nextBytes(message);
            return ByteBuffer.wrap(message).putInt(0, message.length - 4).array();
        }

        @Override
        public String decode(ByteBuffer in, int offset, int octets) throws Exception {
            length = octets < 4 ? -1 : in.getInt(offset);
            if (length < 0 || length > octets - 4) {
                throw new IOException("too short");
            }
            sum = 0;
            for (int i = 0; i < length; i++) {
                sum += in.get(offset + 4 + i);
            }
            return "sum";
        }

        @Override
        public long digest() {
            return sum;
        }

        @Override
        public String refusal(Exception refusal) {
            return refusal instanceof IOException ? "refused" : null;
        }

        @Override
        public long settledAllowance(int octets, boolean accepted) {
            return accepted ? 0 : allowance(octets);
        }
    }

    private static Fuzzer fuzzer(FuzzTarget target) {
        return new Fuzzer("test", target, SEED, TimeUnit.MILLISECONDS.toNanos(200));
    }

    private static void assertFound(FuzzTarget target, String what) {
        assertThatThrownBy(() -> fuzzer(target).run(INPUTS))
                .isInstanceOf(FuzzFailure.class)
                .hasMessageContaining(what)
                .satisfies(found -> {
                    Matcher input = REPLAY.matcher(found.getMessage());
                    assertThat(input.find()).isTrue();
                    assertThatThrownBy(() -> fuzzer(target).replay(input.group(1)))
                            .hasMessageContaining(what);
                });
    }

    @Test
    void shouldPassASoundDecoder() {
        assertThat(fuzzer(new Sound()).run(INPUTS)).contains("100000 inputs", "-Dfuzz.seed=5: refused ", ", sum ");
    }

    @Test
    void shouldMakeTheSameInputsOfTheSameSeed() {
        String counts = fuzzer(new Sound()).run(1000).replaceFirst(".*: ", "");
        assertThat(fuzzer(new Sound()).run(1000)).endsWith(counts);
        assertThat(new Fuzzer("test", new Sound(), SEED + 1, 1).run(1000)).doesNotEndWith(counts);
    }

    @Test
    void shouldTellWhatComesOfAnInput() {
        assertThat(fuzzer(new Sound()).replay("000000020101")).isEqualTo("fuzzing test: sum");
        assertThat(fuzzer(new Sound()).replay("000000030101")).isEqualTo("fuzzing test: refused");
    }

    @Test
    void shouldFindAnExceptionThatIsNoRefusal() {
        assertFound(
                new Sound() {
                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        if (octets >= 4 && in.getInt(offset) == Integer.MAX_VALUE) {
                            throw new NegativeArraySizeException();
                        }
                        return super.decode(in, offset, octets);
                    }
                },
                "an exception that is no refusal");
    }

    @Test
    void shouldFindAnAllocationByAClaimedLength() {
        assertFound(
                new Sound() {
                    byte[] taken;

                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        taken = new byte[octets < 4 ? 0 : in.getInt(offset) & 0xffff];
                        return super.decode(in, offset, octets);
                    }
                },
                "allocated");
    }

    @Test
    void shouldFindAnAllocationWhereNoneIsAllowed() {
        assertFound(
                new Sound() {
                    Integer boxed;

                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        String kind = super.decode(in, offset, octets);
                        boxed = 1000 + sum;
                        return kind;
                    }
                },
                "allocated 16 octets in decoding 2");
    }

    @Test
    void shouldFindALookBehindTheMessage() {
        assertFound(
                new Sound() {
                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        String kind = super.decode(in, offset, octets);
                        sum += offset + octets < in.limit() ? in.get(offset + octets) : 0;
                        return kind;
                    }
                },
                "outside the heap, among other octets");
    }

    @Test
    void shouldFindALookBeforeTheMessage() {
        assertFound(
                new Sound() {
                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        String kind = super.decode(in, offset, octets);
                        sum += in.get(offset - 1);
                        return kind;
                    }
                },
                "outside the heap, among other octets");
    }

    @Test
    void shouldFindAnOctetWritten() {
        assertFound(
                new Sound() {
                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        String kind = super.decode(in, offset, octets);
                        in.put(offset + 3, (byte) (in.get(offset + 3) ^ 1));
                        return kind;
                    }
                },
                "written into the buffer");
    }

    @Test
    void shouldFindADecoderThatDoesNotEnd() {
        assertFound(
                new Sound() {
                    @Override
                    public String decode(ByteBuffer in, int offset, int octets) throws Exception {
                        String kind = super.decode(in, offset, octets);
                        while (length == 0) {
                            Thread.onSpinWait();
                        }
                        return kind;
                    }
                },
                "it does not end");
    }

    @Test
    void shouldFindAnEncodingThatIsNotTheSame() {
        assertFound(
                new Sound() {
                    @Override
                    public int encode(ByteBuffer out) {
                        out.putInt(0, 1).put(4, (byte) (sum & 0x7f));
                        return 5;
                    }
                },
                "encoded again");
    }

    @Test
    void shouldRefuseToProveNothing() {
        assertThatThrownBy(() -> fuzzer(new Sound() {
                            @Override
                            public String decode(ByteBuffer in, int offset, int octets) {
                                return "anything";
                            }
                        })
                        .run(INPUTS))
                .hasMessageContaining("the same outcome");
    }

    @Test
    void shouldDamageAnyMessageWithoutOverrunningIt() {
        RandomGenerator random = RandomGenerator.of("SplittableRandom");
        Mutator mutator = new Mutator(64);
        for (int i = 0; i < 20_000; i++) {
            byte[] message = new byte[random.nextInt(80)];
            byte[] other = new byte[random.nextInt(80)];
            mutator.mutate(message, other, random);
            assertThat(mutator.length())
                    .as(HexFormat.of().formatHex(mutator.octets()))
                    .isBetween(0, 64);
        }
    }
}
