package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that messages of the peer's arrive in: one slab, registered once for local use, cut into buffers of equal
 * size. The number of a buffer is the id of its receive.
 */
final class ReceiveBuffers {
    private final RdmaConnection connection;
    private final MemoryRegion region;
    private final ByteBuffer[] views;
    private final int size;

    /** The octets of each. */
    int size() {
        return size;
    }

    /** Registers the memory; {@link #postAll} then makes the connection ready to receive. */
    ReceiveBuffers(RdmaConnection connection, int count, int size) throws RdmaException {
        this.connection = connection;
        this.size = size;
        ByteBuffer slab = ByteBuffer.allocateDirect(Math.multiplyExact(count, size));
        region = connection.register(slab, Access.LOCAL);
        views = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            views[i] = slab.slice(i * size, size);
        }
    }

    void postAll() throws RdmaException {
        for (int i = 0; i < views.length; i++) {
            post(i);
        }
    }

    /** Makes a buffer ready for another message; nothing of the last one may be looked at any more. */
    void post(int index) throws RdmaException {
        connection.postReceive(index, region, (long) index * size, size);
    }

    /** A buffer's octets; its position and limit are the user's to set. */
    ByteBuffer view(int index) {
        return views[index];
    }
}
