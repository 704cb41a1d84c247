package io.verbena.rpcrdma.dispatcher.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Numbered buffers of equal size, in slabs that are added as buffers are needed. Each slab is registered once with a
 * connection for local use. Any thread adds a slab; {@link #close} closes them all, also one that is being added.
 */
final class MessageSlabs {
    private final RdmaConnection connection;
    private final int size;
    private final AtomicReferenceArray<MessageSlab> slabOf;

    @GuardedBy("this")
    private final List<MessageSlab> slabs = new ArrayList<>();

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param most how many buffers there are at most
     * @param size the octets of each
     */
    MessageSlabs(RdmaConnection connection, int most, int size) {
        this.connection = connection;
        this.size = size;
        slabOf = new AtomicReferenceArray<>(most);
    }

    synchronized int count() {
        return count;
    }

    /** The octets of each buffer. */
    int size() {
        return size;
    }

    /**
     * Adds buffers behind those that are there.
     *
     * @param lease {@code added} times {@link #size} octets, which are this object's from now on
     * @return the number of the first of them
     * @throws RdmaException where the memory cannot be registered, or the connection has ended
     */
    synchronized int add(BufferLease lease, int added) throws RdmaException {
        if (closed) {
            lease.close();
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection has ended");
        }
        int first = count;
        MessageSlab slab = new MessageSlab(connection, lease, first, added, size);
        slabs.add(slab);
        for (int i = first; i < first + added; i++) {
            slabOf.set(i, slab);
        }
        count += added;
        return first;
    }

    MemoryRegion region(int index) {
        return slabOf.get(index).region();
    }

    /** Where a buffer begins in its region. */
    long offset(int index) {
        return slabOf.get(index).offset(index);
    }

    ByteBuffer view(int index) {
        return slabOf.get(index).view(index);
    }

    /** Deregisters the memory and gives it back. No posted work may name the memory. */
    synchronized void close() {
        closed = true;
        List<MessageSlab> all = List.copyOf(slabs);
        slabs.clear();
        closeAll(all.iterator());
    }

    private static void closeAll(Iterator<MessageSlab> slabs) {
        if (slabs.hasNext()) {
            try {
                slabs.next().close();
            } finally {
                closeAll(slabs);
            }
        }
    }
}
