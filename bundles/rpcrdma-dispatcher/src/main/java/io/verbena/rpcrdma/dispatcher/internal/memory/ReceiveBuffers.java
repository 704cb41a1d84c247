package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.BufferLease;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The memory that messages of the peer arrive in: buffers of equal size. The number of a buffer is the id of its
 * receive. There are as many as messages can come; more are added before more can come.
 */
public final class ReceiveBuffers {
    private final RdmaConnection connection;
    private final MessageSlabs slabs;

    /**
     * @param most how many there are at most
     * @param size the octets of each
     */
    public ReceiveBuffers(RdmaConnection connection, int most, int size) {
        this.connection = connection;
        slabs = new MessageSlabs(connection, most, size);
    }

    /** The octets of each. */
    public int size() {
        return slabs.size();
    }

    /**
     * Adds buffers, and posts them.
     *
     * @param lease {@code count} times {@link #size} octets, which are this object's from now on
     */
    public void add(BufferLease lease, int count) throws RdmaException {
        int first = slabs.add(lease, count);
        for (int i = first; i < first + count; i++) {
            post(i);
        }
    }

    /** Posts a buffer for another message. The last message in it may not be read any more. */
    public void post(int index) throws RdmaException {
        connection.postReceive(index, slabs.region(index), slabs.offset(index), slabs.size());
    }

    /** A buffer's octets; its position and limit are the user's to set. */
    public ByteBuffer view(int index) {
        return slabs.view(index);
    }

    /** Gives the memory back. The connection has ended, and no message is read any more. */
    public void close() {
        slabs.close();
    }
}
