package io.verbena.fuzzing;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Damages messages on their way, some of many, as {@link Fuzzer} damages its inputs. Thread safe. */
public final class Damage {
    private static final int MAX_LENGTH = 1 << 21;

    private final long seed;
    private final int oneIn;
    private final SplittableRandom random;
    private final Mutator mutator = new Mutator(MAX_LENGTH);
    private byte[] other = {};
    private long damaged;

    /** @param oneIn one in this many messages is damaged */
    public Damage(long seed, int oneIn) {
        this.seed = seed;
        this.oneIn = oneIn;
        this.random = new SplittableRandom(seed);
    }

    /** The seed of the system property {@code fuzz.seed}, else of the clock. */
    public static long seed() {
        return Long.getLong(Fuzzer.SEED, System.nanoTime());
    }

    /**
     * How many rounds of a test the property {@code fuzz.inputs} asks for, or the default.
     *
     * @param divisor by how much a round takes longer than a decoder's input
     */
    public static long rounds(long byDefault, long divisor) {
        return Math.max(1, Long.getLong(Fuzzer.INPUTS, byDefault * divisor) / divisor);
    }

    /** Returns whether the next message is to be damaged. */
    public synchronized boolean isNext() {
        return random.nextInt(oneIn) == 0;
    }

    /** Returns a damaged copy; the next one may have a part of this message. */
    public synchronized byte[] of(byte[] message) {
        mutator.mutate(message, other, random);
        other = message.clone();
        damaged++;
        return Arrays.copyOf(mutator.octets(), mutator.length());
    }

    /** Returns a number from 0 to, but without, the bound. */
    public synchronized int number(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public synchronized String toString() {
        return damaged + " messages damaged, -D" + Fuzzer.SEED + "=" + seed;
    }
}
