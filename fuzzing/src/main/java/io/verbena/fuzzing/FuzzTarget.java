package io.verbena.fuzzing;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** A decoder to be fuzzed: what to start from, how to call it and what it promises. All calls come from one thread. */
public interface FuzzTarget {
    /** A sound message, made at random or taken from real traffic. The array may be a shared one: it is not changed. */
    byte[] sample(RandomGenerator random);

    /**
     * Makes ready for a decoding; what is allocated here does not count.
     *
     * @param run 0 for the first decoding of an input; what is kept from then on may be reused by the others
     */
    default void prepare(int run) {}

    /**
     * Decodes a message and keeps what came of it.
     *
     * @param in holds other octets before and perhaps behind the message; position and limit may be changed
     * @return a name for what it is, a constant; names are counted and told
     * @throws Exception the decoder's refusal
     */
    String decode(ByteBuffer in, int offset, int length) throws Exception;

    /** A number that tells all that the last decoding gave, so that two that differ anywhere have different ones. */
    long digest();

    /** A name for a refusal, or null where the decoder must not throw this. */
    String refusal(Exception refusal);

    /**
     * Encodes what the last decoding gave, which must then decode to the same.
     *
     * @return its length, from index 0 on; -1 where nothing is promised
     */
    default int encode(ByteBuffer out) {
        return -1;
    }

    /** The most octets that the first decoding of a message may allocate. */
    default long allowance(int length) {
        return 4096 + 8L * length;
    }

    /** The most octets that a further decoding of the message may allocate, where something is reused. */
    default long settledAllowance(int length, boolean accepted) {
        return allowance(length);
    }

    /** The longest message that is tried. */
    default int maxLength() {
        return 2048;
    }
}
