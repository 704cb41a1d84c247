package io.verbena.management.internal;

import io.verbena.management.DurationFigures;
import io.verbena.metrics.Distribution;

/** A distribution as JMX shows it. */
record Durations(Distribution distribution) implements DurationFigures {
    @Override
    public long getCount() {
        return distribution.count();
    }

    @Override
    public long getMeanNanos() {
        return distribution.meanNanos();
    }

    @Override
    public long getP50Nanos() {
        return distribution.percentileNanos(50);
    }

    @Override
    public long getP90Nanos() {
        return distribution.percentileNanos(90);
    }

    @Override
    public long getP99Nanos() {
        return distribution.percentileNanos(99);
    }

    @Override
    public long getP999Nanos() {
        return distribution.percentileNanos(99.9);
    }

    @Override
    public long getMaxNanos() {
        return distribution.maxNanos();
    }
}
