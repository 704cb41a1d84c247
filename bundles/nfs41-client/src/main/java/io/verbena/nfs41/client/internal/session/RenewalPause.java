package io.verbena.nfs41.client.internal.session;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * How long an idle mount waits before it renews its lease: a sixth to a third of it, chosen anew for each renewal.
 * Mounts that began together, or came back together from a restart of the server, so do not renew their leases together
 * for ever. Thread safe.
 */
final class RenewalPause {
    private static final double LEAST = 1.0 / 6;
    private static final double MOST = 1.0 / 3;

    private final DoubleSupplier random;
    private volatile double share;

    /** @param random random numbers from 0 (included) to 1 (excluded) */
    RenewalPause(DoubleSupplier random) {
        this.random = random;
        next();
    }

    /** The present pause in nanoseconds. */
    long nanos(int leaseSeconds) {
        return (long) (TimeUnit.SECONDS.toNanos(leaseSeconds) * share);
    }

    /** Chooses another pause, now that the lease is renewed. */
    void next() {
        share = LEAST + (MOST - LEAST) * random.getAsDouble();
    }
}
