package io.verbena.nfs.transfer.internal.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.util.concurrent.TimeUnit;

/**
 * Limits the total rate of all workers of a copy. The workers share one time account. Each worker reserves the time
 * that its octets need in the account, and waits until that time has passed. Unused time can be saved up to a tenth of
 * a second. Thread safe.
 */
public final class Bandwidth {
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long octetsPerSecond;
    private final Runtime runtime;

    @GuardedBy("this")
    private long next;

    /**
     * Creates a limiter.
     *
     * @param octetsPerSecond the limit in octets a second; 0 for no limit
     * @param runtime the source of the time
     */
    public Bandwidth(long octetsPerSecond, Runtime runtime) {
        this.octetsPerSecond = octetsPerSecond;
        this.runtime = runtime;
        this.next = runtime.nanoTime();
    }

    /**
     * Waits until the given number of octets may be moved.
     *
     * @param octets the number of octets, at most one block
     */
    public void acquire(int octets) throws InterruptedException {
        if (octetsPerSecond == 0) {
            return;
        }
        long wait = reserve(octets);
        if (wait > 0) {
            runtime.sleep(wait);
        }
    }

    private synchronized long reserve(int octets) {
        long now = runtime.nanoTime();
        if (next - now < -BURST_NANOS) {
            next = now - BURST_NANOS;
        }
        next += Math.max(1, octets * NANOS_PER_SECOND / octetsPerSecond);
        // The worker waits for the end of its reserved time, so that the time of the last octets of a copy is waited
        // for as well.
        return next - now;
    }
}
