package io.verbena.memory.internal;

import java.nio.ByteBuffer;
import java.util.BitSet;

/** One allocation of direct memory, given out in runs of pages. Guarded by the lock of the budget. */
final class Slab {
    static final int PAGE = 4096;

    private final ByteBuffer memory;
    private final BitSet used;
    private final int pages;
    private int free;

    /**
     * @throws OutOfMemoryError where the JVM gives no more direct memory
     */
    Slab(int pages) {
        this.pages = pages;
        this.free = pages;
        this.used = new BitSet(pages);
        // a page more: the JVM's own start is not at a page's
        this.memory = ByteBuffer.allocateDirect((pages + 1) * PAGE).alignedSlice(PAGE);
    }

    int pages() {
        return pages;
    }

    boolean isUnused() {
        return free == pages;
    }

    /**
     * Takes a run of pages.
     *
     * @return its first page, or -1 where none is free
     */
    int take(int count) {
        if (count > free) {
            return -1;
        }
        int from = used.nextClearBit(0);
        while (from + count <= pages) {
            int taken = used.nextSetBit(from);
            if (taken < 0 || taken - from >= count) {
                used.set(from, from + count);
                free -= count;
                return from;
            }
            from = used.nextClearBit(taken);
        }
        return -1;
    }

    void give(int from, int count) {
        used.clear(from, from + count);
        free += count;
    }

    ByteBuffer view(int from, int bytes) {
        return memory.slice(from * PAGE, bytes);
    }
}
