package io.verbena.webconsole.internal;

import io.verbena.metrics.Distribution;
import java.util.stream.LongStream;

/**
 * The bounds of the counts of durations in a document. The page subtracts the counts of two documents, and has the
 * percentiles of the time between them: nothing of a reader is kept here.
 */
final class Bounds {
    /** From a microsecond, with ten bounds in each decade. */
    private static final double LEAST_NANOS = 1_000;

    private static final int A_DECADE = 10;
    private static final int DECADES = 8;

    private static final long[] NANOS = LongStream.rangeClosed(0, (long) A_DECADE * DECADES)
            .map(step -> Math.round(LEAST_NANOS * Math.pow(10, (double) step / A_DECADE)))
            .toArray();

    private Bounds() {}

    /** Returns the bounds in nanoseconds, ascending. */
    static LongStream nanos() {
        return LongStream.of(NANOS);
    }

    /** Returns for each bound how many durations are no longer, and then how many there are. */
    static LongStream counts(Distribution durations) {
        return LongStream.concat(nanos().map(durations::countUpTo), LongStream.of(durations.count()));
    }
}
