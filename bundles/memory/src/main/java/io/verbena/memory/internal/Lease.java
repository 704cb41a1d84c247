package io.verbena.memory.internal;

import io.verbena.memory.BufferLease;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

/** A lease: a run of pages. */
final class Lease extends AtomicReference<Arena.Extent> implements BufferLease {
    private static final long serialVersionUID = 1L;

    private final transient Share share;
    private final transient ByteBuffer buffer;
    private final int pages;

    Lease(Share share, Arena.Extent extent, int bytes) {
        super(extent);
        this.share = share;
        this.pages = extent.pages();
        this.buffer = extent.slab().view(extent.from(), bytes);
    }

    @Override
    public ByteBuffer buffer() {
        return buffer;
    }

    @Override
    public int heldBytes() {
        return pages * Slab.PAGE;
    }

    @Override
    public void close() {
        Arena.Extent held = getAndSet(null);
        if (held != null) {
            share.budget().giveBack(share, held);
        }
    }

    @Override
    public String toString() {
        return buffer.capacity() + " octets of " + share.owner();
    }
}
