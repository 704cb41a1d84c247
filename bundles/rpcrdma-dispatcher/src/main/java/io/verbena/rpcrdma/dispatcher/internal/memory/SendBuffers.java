package io.verbena.rpcrdma.dispatcher.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that calls are sent from: one slab, registered once for local use, cut into one buffer for each call slot.
 * A buffer is as long as a message that the peer takes, and belongs to the slot of its number. A thread writes between
 * {@link #enter} and {@link #leave}: the memory is given back when the connection has ended and the last thread has
 * left.
 */
public final class SendBuffers {
    private final MessageSlab slab;

    @GuardedBy("this")
    private int writers;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param lease {@code count} times {@code size} octets, which are this object's from now on
     */
    public SendBuffers(RdmaConnection connection, BufferLease lease, int count, int size) throws RdmaException {
        slab = new MessageSlab(connection, lease, count, size);
    }

    public MemoryRegion region() {
        return slab.region();
    }

    /** Where a buffer begins in the region. */
    public long offset(int index) {
        return slab.offset(index);
    }

    /** Begins to write; false where the connection has ended and the memory is gone. */
    public synchronized boolean enter() {
        if (!closed) {
            writers++;
        }
        return !closed;
    }

    /** Ends the writing that {@link #enter} began. */
    public void leave() {
        boolean last;
        synchronized (this) {
            writers--;
            last = closed && writers == 0;
        }
        if (last) {
            slab.close();
        }
    }

    /** A buffer, cleared. */
    public ByteBuffer view(int index) {
        return slab.view(index).clear();
    }

    /** The connection has ended. */
    public void close() {
        boolean last;
        synchronized (this) {
            last = !closed && writers == 0;
            closed = true;
        }
        if (last) {
            slab.close();
        }
    }
}
