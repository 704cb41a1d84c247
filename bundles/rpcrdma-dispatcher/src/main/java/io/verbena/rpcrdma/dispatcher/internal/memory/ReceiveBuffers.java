package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.BufferLease;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that messages of the peer arrive in: one slab, registered once for local use, cut into buffers of equal
 * size. The number of a buffer is the id of its receive.
 */
public final class ReceiveBuffers {
    private final RdmaConnection connection;
    private final MessageSlab slab;

    /**
     * Registers the memory. {@link #postAll} then makes the connection ready to receive.
     *
     * @param lease {@code count} times {@code size} octets; this object closes it
     */
    public ReceiveBuffers(RdmaConnection connection, BufferLease lease, int count, int size) throws RdmaException {
        this.connection = connection;
        this.slab = new MessageSlab(connection, lease, count, size);
    }

    /** The octets of each. */
    public int size() {
        return slab.size();
    }

    public void postAll() throws RdmaException {
        for (int i = 0; i < slab.count(); i++) {
            post(i);
        }
    }

    /** Posts a buffer for another message. The last message in it may not be read any more. */
    public void post(int index) throws RdmaException {
        connection.postReceive(index, slab.region(), slab.offset(index), slab.size());
    }

    /** A buffer's octets; its position and limit are the user's to set. */
    public ByteBuffer view(int index) {
        return slab.view(index);
    }

    /** Gives the memory back. The connection has ended, and no message is read any more. */
    public void close() {
        slab.close();
    }
}
