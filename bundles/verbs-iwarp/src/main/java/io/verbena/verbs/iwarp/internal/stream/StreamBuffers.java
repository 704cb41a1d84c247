package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.verbs.HostAddresses;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The two staging buffers of a connection's stream, leased from the memory share of the peer's host. They live until
 * {@link #close}. Both are short at first, and grow while much travels.
 */
public final class StreamBuffers implements AutoCloseable {
    private final MemoryShare peer;
    private final BufferLease lease;
    private final Staging sending;
    private final Staging receiving;

    /** How long a connection waits for the buffers. Meanwhile other holders of memory are asked to give memory back. */
    private static final Duration MEMORY_WAIT = Duration.ofSeconds(3);

    /**
     * Leases the buffers. Blocks the caller's thread for some seconds at most where there is no memory.
     *
     * @param nanoTime the runtime's clock
     * @throws RdmaException with {@link RdmaException.Kind#RESOURCES} where the budget has none
     */
    public StreamBuffers(MemoryBudget budget, InetAddress remote, LongSupplier nanoTime) throws RdmaException {
        peer = budget.share("peer " + HostAddresses.hostOf(remote).getHostAddress());
        BufferLease leased = null;
        try {
            leased = peer.awaitAhead(FpduWriter.SHORT_STAGING + FpduReader.SHORT_STAGING, MEMORY_WAIT);
        } catch (MemoryRefusedException e) {
            throw new RdmaException(RdmaException.Kind.RESOURCES, e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "interrupted while waiting for memory", e);
        } finally {
            if (leased == null) {
                peer.close();
            }
        }
        lease = leased;
        ByteBuffer shortOnes = lease.buffer();
        sending = new Staging(peer, shortOnes.slice(0, FpduWriter.SHORT_STAGING), FpduWriter.STAGING, nanoTime);
        receiving = new Staging(
                peer,
                shortOnes.slice(FpduWriter.SHORT_STAGING, FpduReader.SHORT_STAGING),
                FpduReader.STAGING,
                nanoTime);
    }

    /** For the {@link FpduWriter}; {@link FpduWriter#STAGING} octets at most. */
    public Staging sending() {
        return sending;
    }

    /** For the {@link FpduReader}; {@link FpduReader#STAGING} octets at most. */
    public Staging receiving() {
        return receiving;
    }

    /** Gives the memory back. Called when the connection's thread no longer uses it. */
    @Override
    public void close() {
        sending.shrink();
        receiving.shrink();
        lease.close();
        peer.close();
    }
}
