package io.verbena.simulation.scale;

import java.util.Arrays;

/** How often something happens in each second of virtual time. */
final class PerSecond {
    private static final long SECOND = 1_000_000_000;

    private int[] counts = new int[256];
    private long total;

    /** It happens now. */
    void add(long nowNanos) {
        add(nowNanos, 1);
    }

    void add(long nowNanos, int times) {
        int second = (int) (nowNanos / SECOND);
        if (second >= counts.length) {
            counts = Arrays.copyOf(counts, Math.max(second + 1, 2 * counts.length));
        }
        counts[second] += times;
        total += times;
    }

    long total() {
        return total;
    }

    /** The counts of the whole seconds from one time to another one. */
    int[] between(long fromNanos, long toNanos) {
        int from = (int) ((fromNanos + SECOND - 1) / SECOND);
        int to = (int) (toNanos / SECOND);
        return Arrays.copyOfRange(counts, from, Math.max(from, to));
    }

    /** The counts of the seconds since a time, of which the first may have begun before it. */
    int[] since(long fromNanos, long toNanos) {
        return Arrays.copyOfRange(counts, (int) (fromNanos / SECOND), (int) (toNanos / SECOND) + 1);
    }

    static int peak(int[] counts) {
        return Arrays.stream(counts).max().orElse(0);
    }

    static double mean(int[] counts) {
        return Arrays.stream(counts).average().orElse(0);
    }

    /** How much the busiest second exceeds the mean: 1 where each second is like the others. */
    static double peakToMean(int[] counts) {
        double mean = mean(counts);
        return mean == 0 ? 0 : peak(counts) / mean;
    }
}
