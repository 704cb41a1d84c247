package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryShare;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The share of the budget that one connection leases from. It is a part of the share of its peer: all connections of
 * one peer address together have that one share. Thread safe.
 */
public final class PeerMemoryShare implements AutoCloseable {
    private final MemoryShare peer;
    private final MemoryShare connection;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param host the peer's address or name
     * @param id the number of the connection
     */
    public PeerMemoryShare(MemoryBudget budget, String host, long id) {
        peer = budget.share("peer " + host);
        MemoryShare part = null;
        try {
            part = peer.part("connection " + id);
        } finally {
            if (part == null) {
                peer.close();
            }
        }
        connection = part;
    }

    public MemoryShare memory() {
        return connection;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            connection.close();
            peer.close();
        }
    }
}
