package io.verbena.rpcrdma.dispatcher.internal;

import java.time.Duration;

/** Durations of users', however long, on the clock of {@link System#nanoTime}. */
final class Nanos {
    private static final Duration LONGEST = Duration.ofDays(365);

    private Nanos() {}

    /** The nanoseconds of a duration; of one over a year, those of a year, so that sums do not overflow. */
    static long of(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }
}
