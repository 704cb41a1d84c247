package io.verbena.management;

/** A distribution of durations, in nanoseconds. */
public interface DurationFigures {
    long getCount();

    long getMeanNanos();

    long getP50Nanos();

    long getP90Nanos();

    long getP99Nanos();

    long getP999Nanos();

    long getMaxNanos();
}
