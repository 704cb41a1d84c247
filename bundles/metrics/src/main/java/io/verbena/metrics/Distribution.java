package io.verbena.metrics;

import java.util.Arrays;

/**
 * A distribution of durations in nanoseconds, within one percent. Immutable plain data without a reference to its
 * recorder.
 */
public final class Distribution {
    /** The distribution without durations. */
    public static final Distribution EMPTY = new Distribution(new long[0], new long[0], 0, 0);

    /** The longest duration of each bucket, ascending. */
    private final long[] values;

    private final long[] counts;
    private final long count;
    private final long totalNanos;
    private final long maxNanos;

    /**
     * @param values the longest duration of each bucket, ascending
     * @param counts the number of durations in each bucket
     * @param totalNanos the sum of all durations
     * @param maxNanos the longest duration
     */
    Distribution(long[] values, long[] counts, long totalNanos, long maxNanos) {
        this.values = values;
        this.counts = counts;
        this.count = Arrays.stream(counts).sum();
        this.totalNanos = totalNanos;
        this.maxNanos = maxNanos;
    }

    /** The number of durations. */
    public long count() {
        return count;
    }

    /** The sum of all durations. */
    public long totalNanos() {
        return totalNanos;
    }

    /**
     * The number of durations that are no longer than a bound. Durations within one percent of the bound may count or
     * not; a longer bound has the same count or a larger one.
     *
     * @param boundNanos the bound
     */
    public long countUpTo(long boundNanos) {
        long seen = 0;
        for (int i = 0; i < values.length && values[i] <= boundNanos; i++) {
            seen += counts[i];
        }
        return seen;
    }

    /** The longest duration, or 0. */
    public long maxNanos() {
        return maxNanos;
    }

    /** The arithmetic mean, or 0. */
    public long meanNanos() {
        return count == 0 ? 0 : totalNanos / count;
    }

    /**
     * The duration that this share of all durations does not exceed, or 0.
     *
     * @param percent the share, from 0 to 100, such as 99.9
     */
    public long percentileNanos(double percent) {
        if (!(percent >= 0 && percent <= 100)) {
            throw new IllegalArgumentException("no percentile: " + percent);
        }
        long wanted = Math.max(1, (long) Math.ceil(percent / 100 * count));
        long seen = 0;
        for (int i = 0; i < values.length; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.min(values[i], maxNanos);
            }
        }
        return 0;
    }

    /**
     * The durations recorded since an earlier snapshot of the same recorder. Their longest is known within one percent,
     * too.
     */
    public Distribution since(Distribution earlier) {
        return combined(earlier, -1);
    }

    /** The union of these durations and others. */
    public Distribution plus(Distribution others) {
        return combined(others, 1);
    }

    private Distribution combined(Distribution other, int sign) {
        long[] mergedValues = new long[values.length + other.values.length];
        long[] mergedCounts = new long[mergedValues.length];
        int merged = 0;
        int mine = 0;
        int theirs = 0;
        while (mine < values.length || theirs < other.values.length) {
            long value = Math.min(at(values, mine), at(other.values, theirs));
            long sum = 0;
            if (at(values, mine) == value) {
                sum += counts[mine++];
            }
            if (at(other.values, theirs) == value) {
                sum += sign * other.counts[theirs++];
            }
            if (sum > 0) {
                mergedValues[merged] = value;
                mergedCounts[merged++] = sum;
            }
        }
        long longest = merged == 0 ? 0 : Math.min(mergedValues[merged - 1], Math.max(maxNanos, other.maxNanos));
        return new Distribution(
                Arrays.copyOf(mergedValues, merged),
                Arrays.copyOf(mergedCounts, merged),
                Math.max(0, totalNanos + sign * other.totalNanos),
                longest);
    }

    private static long at(long[] values, int index) {
        return index < values.length ? values[index] : Long.MAX_VALUE;
    }
}
