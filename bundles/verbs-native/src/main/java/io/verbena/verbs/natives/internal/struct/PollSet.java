package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.CmLayout.Pollfd;
import java.nio.ByteBuffer;

/**
 * An array of {@code pollfd} in native memory: descriptors that poll(2) waits for until they are readable. One thread
 * at a time.
 */
public final class PollSet {
    private ByteBuffer memory;
    private int size;

    /** @param capacity the initial capacity; the set grows */
    public PollSet(int capacity) {
        memory = NativeMemory.allocate(Math.max(capacity, 1) * Pollfd.SIZE);
    }

    /** @return the index for {@link #ready} */
    public int add(int fd) {
        if ((size + 1) * Pollfd.SIZE > memory.capacity()) {
            memory = NativeMemory.allocate(2 * memory.capacity()).put(memory.clear());
        }
        memory.putInt(size * Pollfd.SIZE + Pollfd.FD, fd);
        memory.putShort(size * Pollfd.SIZE + Pollfd.EVENTS, (short) NativeConstants.POLLIN);
        memory.putShort(size * Pollfd.SIZE + Pollfd.REVENTS, (short) 0);
        return size++;
    }

    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /** Whether the descriptor can be read, has failed or is closed. */
    public boolean ready(int index) {
        return memory.getShort(index * Pollfd.SIZE + Pollfd.REVENTS) != 0;
    }

    /** Clears the results; called after a wait that a signal ended, which leaves them undefined. */
    public void clearReady() {
        for (int index = 0; index < size; index++) {
            memory.putShort(index * Pollfd.SIZE + Pollfd.REVENTS, (short) 0);
        }
    }

    public long address() {
        return NativeMemory.addressOf(memory);
    }
}
