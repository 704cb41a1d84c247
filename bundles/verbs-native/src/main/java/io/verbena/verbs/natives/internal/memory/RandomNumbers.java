package io.verbena.verbs.natives.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Random;

/**
 * Unpredictable numbers, drawn from the system's generator in bulk: drawing one number costs more than a small message.
 * Any thread.
 */
public final class RandomNumbers {
    private static final int BULK = 4096;

    private final Random source;

    @GuardedBy("this")
    private final byte[] bytes = new byte[BULK];

    @GuardedBy("this")
    private final ByteBuffer left = ByteBuffer.wrap(bytes).limit(0);

    public RandomNumbers() {
        this(new SecureRandom());
    }

    /** @param source the generator; where it is predictable, steering tags can be guessed */
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

    @GuardedBy("this")
    private void refill(int needed) {
        if (left.remaining() < needed) {
            source.nextBytes(bytes);
            left.clear();
        }
    }
}
