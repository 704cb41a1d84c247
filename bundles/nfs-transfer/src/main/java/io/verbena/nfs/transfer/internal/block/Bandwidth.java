package io.verbena.nfs.transfer.internal.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the total rate of all workers of a copy. The workers share one account of octets. Each worker reserves its
 * octets in the account, and waits until the account has served them. The rate may change at any time: a worker that
 * waits looks at it again after a second at most. Unused octets can be saved up for a tenth of a second. Thread safe.
 */
public final class Bandwidth {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double BURST_SECONDS = 0.1;
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier octetsPerSecond;
    private final Runtime runtime;

    @GuardedBy("this")
    private double reserved;

    @GuardedBy("this")
    private double served;

    @GuardedBy("this")
    private long last;

    /**
     * Creates a limiter.
     *
     * @param octetsPerSecond returns the limit in octets a second; 0 for no limit
     * @param runtime the source of the time
     */
    public Bandwidth(LongSupplier octetsPerSecond, Runtime runtime) {
        this.octetsPerSecond = octetsPerSecond;
        this.runtime = runtime;
        this.last = runtime.nanoTime();
    }

    /**
     * Waits until the given number of octets may be moved.
     *
     * @param octets the number of octets, at most one block
     */
    public void acquire(int octets) throws InterruptedException {
        double mine = Double.NaN;
        for (long wait = 1; wait > 0; ) {
            long rate = octetsPerSecond.getAsLong();
            synchronized (this) {
                serve(rate);
                if (Double.isNaN(mine)) {
                    reserved += octets;
                    mine = reserved;
                }
                // The worker waits for the end of its reserved time, so that the time of the last octets of a copy is
                // waited for as well.
                wait = rate <= 0 ? 0 : nanos((mine - served) / rate);
            }
            if (wait > 0) {
                runtime.sleep(wait);
            }
        }
    }

    private static long nanos(double seconds) {
        return (long) Math.min((double) MAX_WAIT_NANOS, Math.ceil(seconds * NANOS_PER_SECOND));
    }

    /** Serves what the time since the last call is enough for. */
    @GuardedBy("this")
    private void serve(long rate) {
        long now = runtime.nanoTime();
        double seconds = (now - last) / NANOS_PER_SECOND;
        last = now;
        served = rate <= 0 ? reserved : Math.min(served + seconds * rate, reserved + BURST_SECONDS * rate);
    }
}
