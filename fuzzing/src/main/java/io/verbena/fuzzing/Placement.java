package io.verbena.fuzzing;

import java.nio.ByteBuffer;

/**
 * Where an input lies as it is decoded: among octets that are not its own, in memory of the heap or outside it, with the
 * buffer's limit behind those or right at the input's end. A decoder that looks at what surrounds a message finds
 * something else each time, or runs over the limit.
 */
final class Placement {
    private static final int GUARD = 64;
    /** Messages begin at any address. */
    private static final int ALIGNMENTS = 8;

    private final ByteBuffer memory;
    /** What surrounds the message: words of this value, counted from where it begins. */
    private final int word;

    private final boolean exactLimit;
    private int offset;
    private int length;

    Placement(boolean direct, int maxLength, int word, boolean exactLimit) {
        int capacity = 2 * GUARD + ALIGNMENTS + maxLength;
        // a part of a larger array, as it comes from a pool: its array has an offset
        memory = direct
                ? ByteBuffer.allocateDirect(capacity)
                : ByteBuffer.allocate(capacity + 3).slice(3, capacity);
        this.word = word;
        this.exactLimit = exactLimit;
    }

    ByteBuffer put(byte[] message, int messageLength, int alignment) {
        offset = GUARD + alignment % ALIGNMENTS;
        length = messageLength;
        memory.clear();
        for (int i = offset - GUARD; i < offset; i += Integer.BYTES) {
            memory.putInt(i, word);
        }
        memory.put(offset, message, 0, length);
        for (int i = 0; i < GUARD; i++) {
            memory.put(offset + length + i, guard(length + i));
        }
        return memory.limit(offset + length + (exactLimit ? 0 : GUARD));
    }

    private byte guard(int index) {
        return (byte) (word >> (Byte.SIZE * (3 - index % Integer.BYTES)));
    }

    int offset() {
        return offset;
    }

    /** Whether all is as {@link #put} left it. */
    boolean isUntouched(ByteBuffer message) {
        memory.clear();
        for (int i = 0; i < GUARD; i += Integer.BYTES) {
            if (memory.getInt(offset - GUARD + i) != word) {
                return false;
            }
        }
        for (int i = 0; i < GUARD; i++) {
            if (memory.get(offset + length + i) != guard(length + i)) {
                return false;
            }
        }
        memory.limit(offset + length).position(offset);
        message.limit(length).position(0);
        return memory.mismatch(message) < 0;
    }
}
