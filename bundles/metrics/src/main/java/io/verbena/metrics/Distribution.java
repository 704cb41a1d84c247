package io.verbena.metrics;

import java.util.Arrays;

/**
 * How long many things took, in nanoseconds, within one percent. Immutable, and plain data: it keeps nothing of who
 * recorded it.
 */
public final class Distribution {
    /** Of nothing. */
    public static final Distribution EMPTY = new Distribution(new long[0], new long[0], 0, 0);

    /** The longest duration that counts for a bucket, ascending. */
    private final long[] values;

    private final long[] counts;
    private final long count;
    private final long totalNanos;
    private final long maxNanos;

    /**
     * @param values the longest duration of each bucket, ascending
     * @param counts how many there are in each
     * @param totalNanos the sum of all
     * @param maxNanos the longest of all
     */
    Distribution(long[] values, long[] counts, long totalNanos, long maxNanos) {
        this.values = values;
        this.counts = counts;
        this.count = Arrays.stream(counts).sum();
        this.totalNanos = totalNanos;
        this.maxNanos = maxNanos;
    }

    /** How many there were. */
    public long count() {
        return count;
    }

    /** The longest, 0 where there was none. */
    public long maxNanos() {
        return maxNanos;
    }

    /** The arithmetic mean, 0 where there was none. */
    public long meanNanos() {
        return count == 0 ? 0 : totalNanos / count;
    }

    /**
     * How long that share of them took at most, 0 where there was none.
     *
     * @param percent as 99.9; from 0 to 100
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
     * Those that came since an earlier look at the same recorder. Of these the longest is known as the others are, within
     * one percent.
     */
    public Distribution since(Distribution earlier) {
        return combined(earlier, -1);
    }

    /** These and others. */
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
