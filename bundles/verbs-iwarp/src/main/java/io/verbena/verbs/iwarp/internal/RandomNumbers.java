package io.verbena.verbs.iwarp.internal;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** Unpredictable numbers, drawn from the system's generator in bulk: one at a time costs more than a small message. */
final class RandomNumbers {
    private static final int BULK = 4096;

    private final SecureRandom source = new SecureRandom();
    private final byte[] bytes = new byte[BULK];
    private final ByteBuffer left = ByteBuffer.wrap(bytes).limit(0);

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
