package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that messages leave from: one slab, registered once for local use, cut into buffers as long as the peer
 * takes messages. A buffer belongs to the call or request of the same number.
 */
final class SendBuffers {
    private final MemoryRegion region;
    private final ByteBuffer[] views;
    private final int size;

    SendBuffers(RdmaConnection connection, int count, int size) throws RdmaException {
        this.size = size;
        ByteBuffer slab = ByteBuffer.allocateDirect(Math.multiplyExact(count, size));
        region = connection.register(slab, Access.LOCAL);
        views = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            views[i] = slab.slice(i * size, size);
        }
    }

    MemoryRegion region() {
        return region;
    }

    /** Where a buffer begins in the region. */
    long offset(int index) {
        return (long) index * size;
    }

    /** A buffer, cleared. */
    ByteBuffer view(int index) {
        return views[index].clear();
    }
}
