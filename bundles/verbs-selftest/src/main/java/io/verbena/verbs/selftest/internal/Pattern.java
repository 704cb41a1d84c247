package io.verbena.verbs.selftest.internal;

import java.nio.ByteBuffer;

/** Octets derived from a seed, so that both ends know the expected content without sending it. */
final class Pattern {
    private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

    private Pattern() {}

    static void fill(ByteBuffer memory, int offset, int length, long seed) {
        for (int i = 0; i < length; i++) {
            memory.put(offset + i, octet(seed, i));
        }
    }

    static boolean matches(ByteBuffer memory, int offset, int length, long seed) {
        for (int i = 0; i < length; i++) {
            if (memory.get(offset + i) != octet(seed, i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the memory holds the pattern between its guards, and the guards are still zeros. */
    static boolean matchesGuarded(ByteBuffer memory, int length, long seed) {
        return isZero(memory, 0, Message.GUARD)
                && matches(memory, Message.GUARD, length, seed)
                && isZero(memory, Message.GUARD + length, Message.GUARD);
    }

    static boolean isZero(ByteBuffer memory, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (memory.get(offset + i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static byte octet(long seed, int index) {
        long word = (seed + (index >> 3) + 1) * STEP;
        return (byte) (word >>> ((index & 7) * 8));
    }
}
