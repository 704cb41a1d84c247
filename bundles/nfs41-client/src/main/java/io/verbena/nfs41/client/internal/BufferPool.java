package io.verbena.nfs41.client.internal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;

/** Direct buffers to use again, in sizes of powers of two; bounded in what it keeps, not in what it lends. */
final class BufferPool {
    private static final int MIN_SHIFT = 12;
    private static final int MAX_SHIFT = 22;
    private static final long MAX_KEPT = 64L << 20;

    private final List<ConcurrentLinkedDeque<ByteBuffer>> free = new ArrayList<>();
    private final AtomicLong keptBytes = new AtomicLong();
    private volatile boolean closed;

    BufferPool() {
        for (int shift = MIN_SHIFT; shift <= MAX_SHIFT; shift++) {
            free.add(new ConcurrentLinkedDeque<>());
        }
    }

    /** A buffer of at least that capacity, its limit set to it. */
    ByteBuffer take(int bytes) {
        int shift = shiftOf(bytes);
        ByteBuffer kept = free.get(shift - MIN_SHIFT).pollFirst();
        if (kept == null) {
            return ByteBuffer.allocateDirect(1 << shift).limit(bytes);
        }
        keptBytes.addAndGet(-kept.capacity());
        return kept.clear().limit(bytes);
    }

    void give(ByteBuffer buffer) {
        if (closed) {
            return;
        }
        if (keptBytes.addAndGet(buffer.capacity()) > MAX_KEPT) {
            keptBytes.addAndGet(-buffer.capacity());
        } else {
            free.get(shiftOf(buffer.capacity()) - MIN_SHIFT).addFirst(buffer);
        }
    }

    /** What a buffer of so many octets occupies. */
    static int sizeOf(int bytes) {
        return 1 << shiftOf(bytes);
    }

    private static int shiftOf(int bytes) {
        if (bytes > 1 << MAX_SHIFT) {
            throw new IllegalArgumentException("a buffer of " + bytes + " octets is more than the pool has");
        }
        return Math.max(MIN_SHIFT, 32 - Integer.numberOfLeadingZeros(bytes - 1));
    }

    /** Keeps nothing any more. */
    void close() {
        closed = true;
        free.forEach(ConcurrentLinkedDeque::clear);
        keptBytes.set(0);
    }
}
