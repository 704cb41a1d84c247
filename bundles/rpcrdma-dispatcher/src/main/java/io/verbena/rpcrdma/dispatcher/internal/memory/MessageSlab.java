package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.BufferLease;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/** One lease, registered once with a connection for local use and cut into buffers of equal size. */
final class MessageSlab {
    private final BufferLease lease;
    private final MemoryRegion region;
    private final ByteBuffer[] views;
    private final int size;

    /**
     * @param lease {@code count} times {@code size} octets; closed where the memory cannot be registered
     */
    MessageSlab(RdmaConnection connection, BufferLease lease, int count, int size) throws RdmaException {
        this.lease = lease;
        this.size = size;
        MemoryRegion registered = null;
        try {
            registered = connection.register(lease.buffer(), Access.LOCAL);
        } finally {
            if (registered == null) {
                lease.close();
            }
        }
        region = registered;
        views = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            views[i] = lease.buffer().slice(i * size, size);
        }
    }

    int count() {
        return views.length;
    }

    /** The octets of each buffer. */
    int size() {
        return size;
    }

    MemoryRegion region() {
        return region;
    }

    /** Where a buffer begins in the region. */
    long offset(int index) {
        return (long) index * size;
    }

    ByteBuffer view(int index) {
        return views[index];
    }

    /** Deregisters the memory and closes the lease. No posted work may name the memory. */
    void close() {
        try {
            region.invalidate();
        } finally {
            lease.close();
        }
    }
}
