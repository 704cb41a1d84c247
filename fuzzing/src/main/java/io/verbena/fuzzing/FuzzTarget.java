package io.verbena.fuzzing;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** A decoder under test: sample messages, how to call the decoder, and its promises. One thread makes all calls. */
public interface FuzzTarget {
    /**
     * A valid message, made at random or taken from real traffic. The array may be shared; the fuzzer does not change
     * it.
     */
    byte[] sample(RandomGenerator random);

    /**
     * Prepares a decoding. Allocations in this method do not count.
     *
     * @param run 0 for the first decoding of an input; later decodings may reuse objects of the first one
     */
    default void prepare(int run) {}

    /**
     * Decodes a message and keeps the result.
     *
     * @param in a buffer with other octets before and perhaps behind the message; the target may change position and
     *     limit
     * @return a constant name for the kind of result; the fuzzer counts the names and prints them
     * @throws Exception if the decoder refuses the message
     */
    String decode(ByteBuffer in, int offset, int length) throws Exception;

    /** A digest of the complete result of the last decoding; different results have different digests. */
    long digest();

    /** A name for a refusal, or null where the decoder must not throw this. */
    String refusal(Exception refusal);

    /**
     * Encodes the result of the last decoding. Decoding the octets has to yield the same result.
     *
     * @return the length, from index 0 on; -1 where the target makes no promise
     */
    default int encode(ByteBuffer out) {
        return -1;
    }

    /** The most octets that the first decoding of a message may allocate. */
    default long allowance(int length) {
        return 4096 + 8L * length;
    }

    /** The most octets that a further decoding of the message may allocate, when objects are reused. */
    default long settledAllowance(int length, boolean accepted) {
        return allowance(length);
    }

    /** The longest message that the fuzzer tries. */
    default int maxLength() {
        return 2048;
    }
}
