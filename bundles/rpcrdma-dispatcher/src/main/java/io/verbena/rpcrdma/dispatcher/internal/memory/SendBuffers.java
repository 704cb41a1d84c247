package io.verbena.rpcrdma.dispatcher.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that calls are sent from: one buffer for each call slot that may be used. A buffer is as long as a message
 * that the peer takes, and belongs to the slot of its number. A thread writes between {@link #enter} and {@link
 * #leave}: the memory is given back when the connection has ended and the last thread has left.
 */
public final class SendBuffers {
    private final MessageSlabs slabs;

    @GuardedBy("this")
    private int writers;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param most how many there are at most
     * @param size the octets of each
     */
    public SendBuffers(RdmaConnection connection, int most, int size) {
        slabs = new MessageSlabs(connection, most, size);
    }

    /** Leases memory for buffers. */
    @FunctionalInterface
    public interface Source {
        /** @return memory for that many buffers */
        BufferLease lease(int count) throws RdmaException;
    }

    /** Adds buffers until there are as many as wanted. Where that fails, those that are there stay. */
    public void fill(int wanted, Source source) throws RdmaException {
        int missing = wanted - slabs.count();
        if (missing > 0) {
            int unused = slabs.add(source.lease(missing), missing);
        }
    }

    public MemoryRegion region(int index) {
        return slabs.region(index);
    }

    /** Where a buffer begins in its region. */
    public long offset(int index) {
        return slabs.offset(index);
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
            slabs.close();
        }
    }

    /** A buffer, cleared. */
    public ByteBuffer view(int index) {
        return slabs.view(index).clear();
    }

    /** The connection has ended. */
    public void close() {
        boolean last;
        synchronized (this) {
            last = !closed && writers == 0;
            closed = true;
        }
        if (last) {
            slabs.close();
        }
    }
}
