package io.verbena.fuzzing;

import java.nio.ByteBuffer;

/**
 * The place of an input in its buffer: among foreign octets, in heap or direct memory, with the buffer's limit behind
 * the foreign octets or at the input's end. A decoder that reads outside of the message finds other octets each time,
 * or exceeds the limit.
 */
final class Placement {
    private static final int GUARD = 64;
    /** The number of different alignments of messages. */
    private static final int ALIGNMENTS = 8;

    private final ByteBuffer memory;
    /** The value of the words around the message, aligned with its beginning. */
    private final int word;

    private final boolean exactLimit;
    private int offset;
    private int length;

    Placement(boolean direct, int maxLength, int word, boolean exactLimit) {
        int capacity = 2 * GUARD + ALIGNMENTS + maxLength;
        // a part of a larger array, like a buffer of a pool: its array has an offset
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

    /** Whether no octet has changed since {@link #put}. */
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
