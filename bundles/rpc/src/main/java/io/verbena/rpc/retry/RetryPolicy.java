package io.verbena.rpc.retry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Decides when a failed operation is retried. Pauses grow by a factor from the first to the longest. Each pause is
 * shortened by a random share, so that operations that failed together are not retried together. A series ends at a
 * bound in time or in attempts. Immutable; {@link #start} returns the state of one series of attempts.
 *
 * @param first the pause after the first failure; more than zero
 * @param longest the longest pause
 * @param factor the ratio of each pause to the one before; at least 1
 * @param jitter the largest share by which a pause is shortened at random, from 0 (none) to 1 (the whole pause)
 * @param settled how long a success must have lasted to reset the pauses: see {@link Series#succeeded}
 * @param limit the time bound of a series; {@link #FOREVER} for none
 * @param attempts the most failures of a series; {@link Integer#MAX_VALUE} for no bound
 */
public record RetryPolicy(
        Duration first,
        Duration longest,
        double factor,
        double jitter,
        Duration settled,
        Duration limit,
        int attempts) {
    /** No bound in time. */
    public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException for an impossible value
     */
    public RetryPolicy {
        Objects.requireNonNull(settled, "settled");
        Objects.requireNonNull(limit, "limit");
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("pauses from " + first + " to " + longest);
        }
        if (!(factor >= 1) || !(jitter >= 0 && jitter <= 1) || attempts < 1) {
            throw new IllegalArgumentException(
                    "a factor of " + factor + ", a jitter of " + jitter + ", " + attempts + " attempts");
        }
    }

    /** Pauses that double from the first to the longest, without jitter and without a bound. */
    public static RetryPolicy doubling(Duration first, Duration longest) {
        return new RetryPolicy(first, longest, 2, 0, Duration.ZERO, FOREVER, Integer.MAX_VALUE);
    }

    /** This policy with another longest pause. */
    public RetryPolicy withLongest(Duration most) {
        Duration shortest = first.compareTo(most) < 0 ? first : most;
        return new RetryPolicy(shortest, most, factor, jitter, settled, limit, attempts);
    }

    /** This policy with another jitter. */
    public RetryPolicy withJitter(double share) {
        return new RetryPolicy(first, longest, factor, share, settled, limit, attempts);
    }

    /** This policy with another time after which a success resets the pauses. */
    public RetryPolicy withSettled(Duration lasted) {
        return new RetryPolicy(first, longest, factor, jitter, lasted, limit, attempts);
    }

    /** This policy with a bound in time. */
    public RetryPolicy withLimit(Duration bound) {
        return new RetryPolicy(first, longest, factor, jitter, settled, bound, attempts);
    }

    /** This policy with a bound in attempts. */
    public RetryPolicy withAttempts(int most) {
        return new RetryPolicy(first, longest, factor, jitter, settled, limit, most);
    }

    /**
     * A series that begins now, with a clock of the caller.
     *
     * @param clock the time in nanoseconds, as {@link System#nanoTime} gives it
     * @param random random numbers from 0 (included) to 1 (excluded)
     */
    public Series start(LongSupplier clock, DoubleSupplier random) {
        return new Series(this, clock, random);
    }

    private long pauseNanos(int failures, double random) {
        double plain = Math.min((double) nanos(longest), nanos(first) * Math.pow(factor, failures));
        return Math.max(1, (long) (plain * (1 - jitter * random)));
    }

    /** The duration in nanoseconds, at most {@link Long#MAX_VALUE}. */
    private static long nanos(Duration duration) {
        return duration.compareTo(FOREVER) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /**
     * The attempts at one operation: their number, the time since the first one, and the pause before the next one.
     * Thread safe.
     */
    public static final class Series {
        private final RetryPolicy policy;
        private final LongSupplier clock;
        private final DoubleSupplier random;

        @GuardedBy("this")
        private long startNanos;

        @GuardedBy("this")
        private int failures;

        @GuardedBy("this")
        private int step;

        @GuardedBy("this")
        private long lastPauseNanos;

        private Series(RetryPolicy policy, LongSupplier clock, DoubleSupplier random) {
            this.policy = policy;
            this.clock = clock;
            this.random = random;
            startNanos = clock.getAsLong();
        }

        /** Restarts the series now. */
        public synchronized void restart() {
            startNanos = clock.getAsLong();
            failures = 0;
            step = 0;
            lastPauseNanos = 0;
        }

        /**
         * An attempt was successful, and what it had brought was lost again after so long. The pauses begin anew where
         * that was long enough: as long as the policy says, and as the last pause. Otherwise they go on to grow, so
         * that what succeeds only to fail at once is not tried again at once, for ever.
         *
         * @return whether the pauses were reset
         */
        public synchronized boolean succeeded(long lastedNanos) {
            boolean lasted = lastedNanos >= Math.max(nanos(policy.settled), lastPauseNanos);
            if (lasted) {
                restart();
            }
            return lasted;
        }

        /** Counts a failed attempt, and returns the pause before the next one in nanoseconds; more than zero. */
        public synchronized long nextPauseNanos() {
            failures++;
            lastPauseNanos = policy.pauseNanos(step++, random.getAsDouble());
            return lastPauseNanos;
        }

        /** Does the same as {@link #nextPauseNanos} in milliseconds, rounded up. */
        public long nextPauseMillis() {
            return (nextPauseNanos() + 999_999) / 1_000_000;
        }

        /** The number of failed attempts since the series began. */
        public synchronized int failures() {
            return failures;
        }

        /** The nanoseconds since the series began. */
        public synchronized long elapsedNanos() {
            return clock.getAsLong() - startNanos;
        }

        /** The nanoseconds left to the series; 0 or less where its time is over. */
        public long leftNanos() {
            long limit = nanos(policy.limit);
            return limit == Long.MAX_VALUE ? Long.MAX_VALUE : limit - elapsedNanos();
        }

        /** Whether a bound is reached; no further attempt should be made then. */
        public boolean isOver() {
            return failures() >= policy.attempts || leftNanos() <= 0;
        }
    }
}
