package io.verbena.simulation.scale;

import java.util.Arrays;
import java.util.List;

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
    List<Integer> between(long fromNanos, long toNanos) {
        int from = (int) ((fromNanos + SECOND - 1) / SECOND);
        int to = (int) (toNanos / SECOND);
        return part(from, Math.max(from, to));
    }

    /** The counts of the seconds since a time, of which the first may have begun before it. */
    List<Integer> since(long fromNanos, long toNanos) {
        return part((int) (fromNanos / SECOND), (int) (toNanos / SECOND) + 1);
    }

    private List<Integer> part(int from, int to) {
        return Arrays.stream(Arrays.copyOfRange(counts, from, to)).boxed().toList();
    }

    static int peak(List<Integer> counts) {
        return counts.stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    static double mean(List<Integer> counts) {
        return counts.stream().mapToInt(Integer::intValue).average().orElse(0);
    }

    /** How much the busiest second exceeds the mean: 1 where each second is like the others. */
    static double peakToMean(List<Integer> counts) {
        double mean = mean(counts);
        return mean == 0 ? 0 : peak(counts) / mean;
    }
}
