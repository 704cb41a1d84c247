package io.verbena.cli.internal.transfer;

import java.util.concurrent.TimeUnit;

/**
 * So many octets a second at most, for all workers of a copy together. Each takes the time that its octets need from one
 * account, and waits until that time has come; what was not used is kept for a tenth of a second. Thread safe.
 */
final class Bandwidth {
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long octetsPerSecond;
    private final TransferClock clock;
    // guarded by this
    private long next;

    /**
     * @param octetsPerSecond 0 for no limit
     */
    Bandwidth(long octetsPerSecond, TransferClock clock) {
        this.octetsPerSecond = octetsPerSecond;
        this.clock = clock;
        this.next = clock.nanos();
    }

    /** Waits until so many octets may be moved: one block at most. */
    void acquire(int octets) throws InterruptedException {
        if (octetsPerSecond == 0) {
            return;
        }
        long wait = reserve(octets);
        if (wait > 0) {
            clock.sleep(wait);
        }
    }

    private synchronized long reserve(int octets) {
        long now = clock.nanos();
        if (next - now < -BURST_NANOS) {
            next = now - BURST_NANOS;
        }
        next += Math.max(1, octets * NANOS_PER_SECOND / octetsPerSecond);
        // behind the octets, not before them: so that the last ones of a copy are waited for too
        return next - now;
    }
}
