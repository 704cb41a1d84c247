package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.memory.PeerMemoryShare;
import io.verbena.rpcrdma.dispatcher.internal.memory.ReceiveBuffers;
import io.verbena.verbs.HostAddresses;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The memory of one connection: its share of the budget, and the buffers that messages arrive in. Made when the
 * provider has opened the connection.
 */
public final class ConnectionMemory {
    /** How long a new connection waits for its memory. */
    private static final Duration MEMORY_TIMEOUT = Duration.ofSeconds(3);

    private final RdmaConnection rdma;
    private final PeerMemoryShare share;
    private ReceiveBuffers receives;

    ConnectionMemory(MemoryBudget budget, RdmaConnection rdma, long id) {
        this.rdma = rdma;
        InetAddress host = HostAddresses.hostOf(rdma.remoteAddress().getAddress());
        share = new PeerMemoryShare(budget, host.getHostAddress(), id);
    }

    /** The share that the connection leases from. */
    public MemoryShare share() {
        return share.memory();
    }

    /** Leases memory that the connection cannot do without. */
    public BufferLease lease(int count, int size) throws RdmaException {
        try {
            return share().leaseAhead(Math.multiplyExact(count, size));
        } catch (MemoryRefusedException e) {
            throw TransportErrors.noMemory(e);
        }
    }

    /** As {@link #lease}, but waits for some seconds, while other owners are asked to give back memory. */
    private BufferLease await(int count, int size) throws RdmaException {
        try {
            return share().awaitAhead(Math.multiplyExact(count, size), MEMORY_TIMEOUT);
        } catch (MemoryRefusedException e) {
            throw TransportErrors.noMemory(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "interrupted while waiting for memory", e);
        }
    }

    /**
     * Posts the first receives. Blocks for some seconds where there is no memory.
     *
     * @param most how many there will be at most
     * @param size the octets of each
     */
    void postReceives(int count, int most, int size) throws RdmaException {
        receives = new ReceiveBuffers(rdma, most, size);
        receives.add(await(count, size), count);
    }

    /**
     * Posts more receives, before more messages can come.
     *
     * @throws RdmaException where there is no memory, and none is posted; or where the connection has ended
     * @throws IllegalStateException where they were posted in part: the connection is to end
     */
    public void postMoreReceives(int count) throws RdmaException {
        BufferLease lease = lease(count, receives.size());
        try {
            receives.add(lease, count);
        } catch (RdmaException e) {
            if (e.kind() == RdmaException.Kind.DISCONNECTED) {
                throw e;
            }
            throw new IllegalStateException("receives could not be posted: " + e.getMessage(), e);
        }
    }

    /** The octets of each receive. */
    int receiveSize() {
        return receives.size();
    }

    /** The octets of a receive; its position and limit are the user's to set. */
    public ByteBuffer receiveBuffer(int index) {
        return receives.view(index);
    }

    /** Posts a receive again. */
    void post(int index) throws RdmaException {
        receives.post(index);
    }

    /**
     * Gives all memory back. The peer can reach none of it.
     *
     * @param answers its programs may still read arguments in the receives; null where there is none
     */
    void give(CallReceiver answers) {
        ReceiveBuffers received = receives;
        if (answers != null) {
            answers.giveMemory(received::close);
        } else if (received != null) {
            received.close();
        }
        share.close();
    }
}
