package io.verbena.verbs.iwarp.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Unpredictable numbers, drawn from the runtime's generator in bulk: drawing one number costs more than a small
 * message. Any thread.
 */
public final class RandomNumbers {
    private static final int BULK = 4096;

    private final RandomGenerator source;

    @GuardedBy("this")
    private final byte[] bytes = new byte[BULK];

    @GuardedBy("this")
    private final ByteBuffer left = ByteBuffer.wrap(bytes).limit(0);

    /** @param source the generator; where it is predictable, steering tags can be guessed */
    public RandomNumbers(RandomGenerator source) {
        this.source = source;
    }

    public synchronized int nextInt() {
        refill(Integer.BYTES);
        return left.getInt();
    }

    synchronized long nextLong() {
        refill(Long.BYTES);
        return left.getLong();
    }

    @GuardedBy("this")
    private void refill(int needed) {
        if (left.remaining() < needed) {
            source.nextBytes(bytes);
            left.clear();
        }
    }
}
