package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.Pollfd;
import java.nio.ByteBuffer;

/** An array of {@code pollfd} in native memory, for {@link Posix#poll}: descriptors to be read. One thread at a time. */
final class PollSet {
    private ByteBuffer memory;
    private int size;

    /** @param capacity it grows beyond */
    PollSet(int capacity) {
        memory = NativeMemory.allocate(Math.max(capacity, 1) * Pollfd.SIZE);
    }

    /** @return the index that {@link #ready} takes */
    int add(int fd) {
        if ((size + 1) * Pollfd.SIZE > memory.capacity()) {
            memory = NativeMemory.allocate(2 * memory.capacity()).put(memory.clear());
        }
        memory.putInt(size * Pollfd.SIZE + Pollfd.FD, fd);
        memory.putShort(size * Pollfd.SIZE + Pollfd.EVENTS, (short) Layout.POLLIN);
        memory.putShort(size * Pollfd.SIZE + Pollfd.REVENTS, (short) 0);
        return size++;
    }

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /** Whether it can be read, has failed or is closed. */
    boolean ready(int index) {
        return memory.getShort(index * Pollfd.SIZE + Pollfd.REVENTS) != 0;
    }

    /** After a wait that a signal ended, which leaves the results undefined. */
    void clearReady() {
        for (int index = 0; index < size; index++) {
            memory.putShort(index * Pollfd.SIZE + Pollfd.REVENTS, (short) 0);
        }
    }

    long address() {
        return NativeMemory.addressOf(memory);
    }
}
