package io.verbena.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Records durations from any thread without a lock, and without an allocation after the first record. It keeps
 * durations from a nanosecond to an hour within one percent; longer ones count as an hour. A recorder takes about 40
 * KiB from the first record on.
 */
public final class DurationRecorder {
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 2;

    private final AtomicReference<AtomicHistogram> histogram = new AtomicReference<>();
    private final LongAdder total = new LongAdder();

    /** Creates an empty recorder. */
    public DurationRecorder() {}

    /**
     * Records a duration.
     *
     * @param nanos the duration; a negative one counts as 0
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

    /** Returns the durations recorded so far. It may miss durations that other threads record at the same time. */
    public Distribution snapshot() {
        AtomicHistogram present = histogram.get();
        if (present == null) {
            return Distribution.EMPTY;
        }
        Histogram copy = new Histogram(present);
        copy.add(present); // other threads keep recording, and an iterator would fail
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
