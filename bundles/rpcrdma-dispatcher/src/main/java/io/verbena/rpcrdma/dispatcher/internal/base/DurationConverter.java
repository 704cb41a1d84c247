package io.verbena.rpcrdma.dispatcher.internal.base;

import java.time.Duration;

/** Converts durations that users set to nanoseconds of the runtime's clock. */
public final class DurationConverter {
    private static final Duration LONGEST = Duration.ofDays(365);

    private DurationConverter() {}

    /** The nanoseconds of a duration; of one over a year, those of a year, so that sums do not overflow. */
    public static long of(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }
}
