package io.verbena.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Records durations from any threads: without a lock, and after the first without an allocation. Keeps them within one
 * percent of what they were, from a nanosecond to an hour; what is longer counts as an hour. Takes about 40 KiB, from the
 * first record on.
 */
public final class DurationRecorder {
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 2;

    private final AtomicReference<AtomicHistogram> histogram = new AtomicReference<>();
    private final LongAdder total = new LongAdder();

    /** A recorder of nothing yet. */
    public DurationRecorder() {}

    /**
     * Records one.
     *
     * @param nanos taken for 0 where it is less
     */
    public void record(long nanos) {
        long bounded = Math.max(0, Math.min(nanos, LONGEST_NANOS));
        AtomicHistogram present = histogram.get();
        (present == null ? first() : present).recordValue(bounded);
        total.add(bounded);
    }

    private AtomicHistogram first() {
        histogram.compareAndSet(null, new AtomicHistogram(LONGEST_NANOS, DIGITS));
        return histogram.get();
    }

    /** What was recorded so far; what is being recorded meanwhile may be in it or not. */
    public Distribution snapshot() {
        AtomicHistogram present = histogram.get();
        if (present == null) {
            return Distribution.EMPTY;
        }
        Histogram copy = new Histogram(present);
        copy.add(present); // who records goes on, and an iterator does not stand that
        int buckets = 0;
        for (HistogramIterationValue value : copy.recordedValues()) {
            buckets += value.getCountAtValueIteratedTo() > 0 ? 1 : 0;
        }
        long[] values = new long[buckets];
        long[] counts = new long[buckets];
        int at = 0;
        for (HistogramIterationValue value : copy.recordedValues()) {
            values[at] = copy.highestEquivalentValue(value.getValueIteratedTo());
            counts[at++] = value.getCountAtValueIteratedTo();
        }
        return new Distribution(values, counts, total.sum(), copy.getMaxValue());
    }
}
