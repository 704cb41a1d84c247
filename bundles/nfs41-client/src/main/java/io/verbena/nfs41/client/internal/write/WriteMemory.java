package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountMemory;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * The memory for the write at the head of the queue. Where there is none at once, a lease is requested, and its arrival
 * drains the queue. Thread safe; its monitor is that of {@link WriteBack}.
 */
final class WriteMemory {
    private final MountMemory memory;
    private final WriteBack writes;

    /** The requested lease, after its arrival. */
    @GuardedBy("writes")
    private BufferLease come;

    @GuardedBy("writes")
    private CompletableFuture<BufferLease> awaited;

    WriteMemory(MountMemory memory, WriteBack writes) {
        this.memory = memory;
        this.writes = writes;
    }

    /** A lease of at least that many octets; null where it was requested and is not there yet. */
    BufferLease take(int bytes) {
        synchronized (writes) {
            BufferLease lease = come;
            come = null;
            if (lease != null && lease.buffer().capacity() >= bytes) {
                return lease;
            }
            if (lease != null) {
                lease.close();
            }
            if (awaited != null) {
                return null;
            }
            lease = memory.tryLease(bytes);
            if (lease == null) {
                await(bytes);
            }
            return lease;
        }
    }

    @GuardedBy("writes")
    private void await(int bytes) {
        CompletableFuture<BufferLease> request = memory.request(bytes);
        awaited = request;
        Futures.whenDoneElse(request, this::came, thrown -> came(null, thrown));
    }

    private void came(BufferLease lease, Throwable thrown) {
        synchronized (writes) {
            awaited = null;
            come = lease;
        }
        writes.room(thrown instanceof CancellationException ? null : memory.meaning(thrown));
    }

    /** No write waits any more: cancels the request and closes the lease. */
    void close() {
        synchronized (writes) {
            if (come != null) {
                come.close();
                come = null;
            }
            if (awaited != null) {
                awaited.cancel(false);
            }
        }
    }
}
