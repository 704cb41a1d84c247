package io.verbena.nfs41.client.internal.util;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The source of a mount's buffers: leases from its share of the memory budget, and the bound of waits for them. Thread
 * safe.
 */
public final class MountMemory {
    /** How long a hard mount waits for a lease. Its files give back memory long before that. */
    private static final Duration HARD_PATIENCE = Duration.ofMinutes(10);

    private final MemoryShare share;
    private final Duration majorTimeout;
    private final MountLifetime lifetime;

    public MountMemory(MemoryShare share, Duration majorTimeout, MountLifetime lifetime) {
        this.share = share;
        this.majorTimeout = majorTimeout;
        this.lifetime = lifetime;
    }

    /** The memory of a mount with these settings. */
    public static MountMemory of(MemoryShare share, MountSettings settings, MountLifetime lifetime) {
        return new MountMemory(share, settings.isSoft() ? settings.majorTimeout() : HARD_PATIENCE, lifetime);
    }

    public MemoryShare share() {
        return share;
    }

    /** A lease, or null where there is no memory now. */
    public BufferLease tryLease(int bytes) {
        return share.tryLease(bytes);
    }

    /** A lease as soon as there is memory: see {@link MemoryShare#request}. {@link #meaning} tells why it fails. */
    public CompletableFuture<BufferLease> request(int bytes) {
        return share.request(bytes, majorTimeout);
    }

    /** Why there is no lease: a mount that has ended gets none, whatever memory there is. */
    public Throwable meaning(Throwable refusal) {
        if (!(refusal instanceof MemoryRefusedException) || !lifetime.isEnded()) {
            return refusal;
        }
        IOException ended = lifetime.refusal(false);
        ended.addSuppressed(refusal);
        return ended;
    }

    /** A lease. Blocks until there is memory. */
    public BufferLease await(int bytes) throws IOException {
        try {
            return share.await(bytes, majorTimeout);
        } catch (MemoryRefusedException e) {
            throw meaning(e) instanceof IOException refusal ? refusal : e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while waiting for memory").initCause(e);
        }
    }
}
