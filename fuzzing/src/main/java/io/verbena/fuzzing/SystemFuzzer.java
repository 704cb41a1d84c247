package io.verbena.fuzzing;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Sends damaged messages to a part that keeps state, such as a server with a directory beneath it. Each message is sent
 * once: unlike a decoder, such a part may answer the same octets in another way the next time. The target says what has
 * to hold after each message. docs/fuzzing.md lists the properties for longer runs.
 */
public final class SystemFuzzer {
    private static final int POOL = 64;
    /** One in this many messages puts a new sample into the pool. */
    private static final int RENEWAL = 4;
    /** One in this many messages is damaged in its head, too. */
    private static final int WHOLE = 8;

    /** The part under test. One thread makes all calls. */
    public interface Target {
        /** A message that the part understands. */
        byte[] sample(RandomGenerator random) throws Exception;

        /**
         * How many octets at the beginning of a message mostly stay as they are, so that the rest is read at all. At
         * most the length of every sample.
         */
        int head();

        /**
         * Sends the message, waits for what becomes of it, and checks the promises that are cheap to check.
         *
         * @return a constant name for the outcome; the fuzzer counts the names and prints them
         * @throws Exception where a promise is broken
         */
        String send(byte[] message) throws Exception;

        /**
         * Checks what takes longer; called after every {@code n}th message and at the end.
         *
         * @throws Exception where a promise is broken
         */
        void check() throws Exception;
    }

    private SystemFuzzer() {}

    /**
     * Sends as many messages as the property {@code fuzz.inputs} says, divided, or the default.
     *
     * @param inputs how many by default
     * @param divisor by how much such a message takes longer than a decoder's
     * @param interval after how many messages {@link Target#check} is called
     */
    public static void run(String name, Target target, int inputs, int divisor, int interval) {
        long seed = Long.getLong(Fuzzer.SEED, System.nanoTime());
        long wanted = Long.getLong(Fuzzer.INPUTS, (long) inputs * divisor) / divisor;
        Map<String, Long> outcomes = new TreeMap<>();
        SplittableRandom random = new SplittableRandom(seed);
        byte[][] pool = new byte[POOL][];
        Mutator mutator = new Mutator(1 << 16);
        byte[] message = {};
        long number = 0;
        try {
            for (int i = 0; i < POOL; i++) {
                pool[i] = target.sample(random);
            }
            for (; number < wanted; number++) {
                if (random.nextInt(RENEWAL) == 0) {
                    pool[random.nextInt(POOL)] = target.sample(random);
                }
                byte[] sound = pool[random.nextInt(POOL)];
                mutator.mutate(sound, pool[random.nextInt(POOL)], random);
                message = Arrays.copyOf(mutator.octets(), mutator.length());
                if (random.nextInt(WHOLE) != 0) {
                    message = withHead(sound, message, target.head());
                }
                outcomes.merge(target.send(message), 1L, Long::sum);
                if (number % interval == interval - 1) {
                    target.check();
                }
            }
            target.check();
        } catch (Exception | AssertionError e) {
            String hex = HexFormat.of().formatHex(message);
            throw new FuzzFailure(
                    String.format(
                            "fuzzing %s, input %d of -D%s=%d: %s; the message was %s",
                            name, number, Fuzzer.SEED, seed, e.getMessage(), hex),
                    e);
        }
        String counts = outcomes.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        System.out.printf("fuzzing %s: %d inputs, -D%s=%d: %s%n", name, wanted, Fuzzer.SEED, seed, counts);
    }

    private static byte[] withHead(byte[] sound, byte[] damaged, int head) {
        byte[] whole = damaged.length < head ? sound.clone() : damaged;
        System.arraycopy(sound, 0, whole, 0, head);
        return whole;
    }
}
