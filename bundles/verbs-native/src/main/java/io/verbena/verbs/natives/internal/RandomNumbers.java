package io.verbena.verbs.natives.internal;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Random;

/** Unpredictable numbers, drawn from the system's generator in bulk: one at a time costs more than a small message. */
final class RandomNumbers {
    private static final int BULK = 4096;

    private final Random source;
    private final byte[] bytes = new byte[BULK];
    private final ByteBuffer left = ByteBuffer.wrap(bytes).limit(0);

    RandomNumbers() {
        this(new SecureRandom());
    }

    /** @param source what is drawn from; steering tags can be guessed where it can be predicted */
    RandomNumbers(Random source) {
        this.source = source;
    }

    synchronized int nextInt() {
        refill(Integer.BYTES);
        return left.getInt();
    }

    synchronized long nextLong() {
        refill(Long.BYTES);
        return left.getLong();
    }

    private void refill(int needed) {
        if (left.remaining() < needed) {
            source.nextBytes(bytes);
            left.clear();
        }
    }
}
