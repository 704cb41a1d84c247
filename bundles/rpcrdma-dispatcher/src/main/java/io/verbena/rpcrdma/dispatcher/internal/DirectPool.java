package io.verbena.rpcrdma.dispatcher.internal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Direct memory for later use, in size classes of powers of two. It is not registered: who takes it registers as much
 * of it as the purpose needs. Thread safe.
 */
final class DirectPool {
    private static final int MIN_CLASS = 12;
    private static final int MAX_CLASS = 24;

    private final ArrayDeque<ByteBuffer>[] idle;
    private final long maxIdleBytes;
    private long idleBytes;
    private boolean usedSinceTrim;

    /**
     * @param maxIdleBytes the most octets that are kept; what comes back beyond is left to the garbage collector
     */
    DirectPool(long maxIdleBytes) {
        this.maxIdleBytes = maxIdleBytes;
        idle = newArray();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type cannot be made otherwise
    private static ArrayDeque<ByteBuffer>[] newArray() {
        ArrayDeque<ByteBuffer>[] array = new ArrayDeque[MAX_CLASS - MIN_CLASS + 1];
        for (int i = 0; i < array.length; i++) {
            array[i] = new ArrayDeque<>();
        }
        return array;
    }

    /** The class of buffers that hold so many octets, or -1 for those beyond the largest class. */
    static int sizeClass(int bytes) {
        int log = bytes <= 1 << MIN_CLASS ? MIN_CLASS : 32 - Integer.numberOfLeadingZeros(bytes - 1);
        return log > MAX_CLASS ? -1 : log - MIN_CLASS;
    }

    static int classes() {
        return MAX_CLASS - MIN_CLASS + 1;
    }

    /** A buffer of at least that capacity, cleared, with undefined content. */
    ByteBuffer take(int bytes) {
        int sizeClass = sizeClass(bytes);
        if (sizeClass < 0) {
            return ByteBuffer.allocateDirect(bytes);
        }
        synchronized (this) {
            usedSinceTrim = true;
            ByteBuffer found = idle[sizeClass].pollLast();
            if (found != null) {
                idleBytes -= found.capacity();
                return found.clear();
            }
        }
        return ByteBuffer.allocateDirect(1 << (sizeClass + MIN_CLASS));
    }

    /** Gives back what {@link #take} gave; nobody may use it any more. */
    void give(ByteBuffer buffer) {
        int sizeClass = sizeClass(buffer.capacity());
        synchronized (this) {
            if (sizeClass >= 0 && idleBytes + buffer.capacity() <= maxIdleBytes) {
                idle[sizeClass].addLast(buffer);
                idleBytes += buffer.capacity();
            }
        }
    }

    /** Drops what is kept if nothing was taken since the last time. */
    synchronized void trim() {
        if (!usedSinceTrim) {
            clear();
        }
        usedSinceTrim = false;
    }

    synchronized void clear() {
        for (ArrayDeque<ByteBuffer> buffers : idle) {
            buffers.clear();
        }
        idleBytes = 0;
    }

    synchronized long idleBytes() {
        return idleBytes;
    }
}
