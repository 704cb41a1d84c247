package io.verbena.memory.internal;

import io.verbena.memory.BufferLease;
import java.util.concurrent.CompletableFuture;

/** A request that waits for its lease. */
final class Waiter extends CompletableFuture<BufferLease> {
    final LeaseRequest wanted;

    Waiter(LeaseRequest wanted) {
        this.wanted = wanted;
    }

    Share share() {
        return wanted.share();
    }

    /** Completes with a lease, or closes the lease where the request is over. */
    void grant(Lease lease) {
        if (!complete(lease)) {
            lease.close();
        }
    }
}
