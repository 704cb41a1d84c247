package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A staging buffer of a stream: short where little travels, long while much does. The short one is always there, so
 * that a stream goes on where there is no memory for a long one. One thread at a time uses it.
 */
public final class Staging {
    /** After memory was refused, it is not asked for again for so long. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final MemoryShare share;
    private final ByteBuffer small;
    private final int longSize;
    private final LongSupplier nanoTime;
    private BufferLease grown;
    private boolean isRefused;
    private long refusedNanos;

    /**
     * @param share what the long buffer is leased from
     * @param small the short buffer, direct
     * @param longSize the octets of the long one
     */
    Staging(MemoryShare share, ByteBuffer small, int longSize, LongSupplier nanoTime) {
        this.share = share;
        this.small = small;
        this.longSize = longSize;
        this.nanoTime = nanoTime;
    }

    /** One that does not grow. */
    public static Staging of(ByteBuffer buffer) {
        return new Staging(null, buffer, buffer.capacity(), () -> 0);
    }

    /** The present buffer, whole. Its octets are lost when it grows or shrinks. */
    ByteBuffer buffer() {
        return grown == null ? small : grown.buffer();
    }

    /** Whether the buffer is the short one, and could be longer. */
    boolean mayGrow() {
        return grown == null && longSize > small.capacity();
    }

    boolean isGrown() {
        return grown != null;
    }

    /** Takes the long buffer; returns whether it is there now and was not before. Does not wait for memory. */
    boolean grow() {
        if (!mayGrow() || (isRefused && nanoTime.getAsLong() - refusedNanos < PAUSE_NANOS)) {
            return false;
        }
        grown = share.tryLease(longSize);
        isRefused = grown == null;
        if (isRefused) {
            refusedNanos = nanoTime.getAsLong();
        }
        return !isRefused;
    }

    /** Gives the long buffer back. No octets of it are needed any more. */
    void shrink() {
        BufferLease held = grown;
        if (held != null) {
            grown = null;
            held.close();
        }
    }
}
