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
    private final int first;
    private final int size;

    /**
     * @param lease {@code count} times {@code size} octets; closed where this fails
     * @param first the number of the first buffer
     */
    MessageSlab(RdmaConnection connection, BufferLease lease, int first, int count, int size) throws RdmaException {
        this.lease = lease;
        this.first = first;
        this.size = size;
        MemoryRegion registered = null;
        try {
            views = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                views[i] = lease.buffer().slice(i * size, size);
            }
            registered = connection.register(lease.buffer(), Access.LOCAL); // last: nothing behind it fails
        } finally {
            if (registered == null) {
                lease.close();
            }
        }
        region = registered;
    }

    MemoryRegion region() {
        return region;
    }

    /** Where a buffer begins in the region. */
    long offset(int index) {
        return (long) (index - first) * size;
    }

    ByteBuffer view(int index) {
        return views[index - first];
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
