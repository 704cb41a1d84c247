package io.verbena.memory.internal;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.ShareUsage;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A {@link DirectMemory} of a few pages and its shares. */
final class Budget {
    /** The pages of the smallest possible budget. */
    static final int LEAST = 16;
    /** The pages of a request that waits. */
    static final int FEW = 8;

    static final int SERVED = 1;
    static final int REFUSED = 2;

    /** Longer than any step takes: a request that waits this long was forgotten. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * The octets of heap that represent the budget's thread and direct memory: the harness keeps fewer large states at
     * a time.
     */
    private static final int WEIGHT = 1 << 18;

    final byte[] weight = new byte[WEIGHT];
    final DirectMemory memory;
    final MemoryShare one;
    final MemoryShare two;
    final MemoryShare three;

    Budget(int pages) {
        memory = new DirectMemory(bytes(pages));
        one = memory.share("one");
        two = memory.share("two");
        three = memory.share("three");
    }

    static int bytes(int pages) {
        return pages * Slab.PAGE;
    }

    static CompletableFuture<BufferLease> request(MemoryShare share, int pages) {
        return share.request(bytes(pages), PATIENCE);
    }

    /** Waits for a lease. */
    static BufferLease await(MemoryShare share, int pages) {
        return request(share, pages).join();
    }

    /**
     * Waits for the result of a request, and closes its lease.
     *
     * @return {@link #SERVED} or {@link #REFUSED}
     */
    static int end(CompletableFuture<BufferLease> request) {
        try {
            request.join().close();
            return SERVED;
        } catch (CompletionException | CancellationException e) {
            return REFUSED;
        }
    }

    /** The pages that leases hold. */
    int leased() {
        return (int) (memory.leasedBytes() / Slab.PAGE);
    }

    int waiting() {
        return memory.holdings().stream().mapToInt(ShareUsage::waiting).sum();
    }

    /**
     * Closes the budget and the shares.
     *
     * @return the pages that leases still hold; the method waits until there are none
     */
    int close() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (memory.leasedBytes() != 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        memory.close();
        return leased();
    }
}
