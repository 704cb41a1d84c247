package io.verbena.simulation.scale;

import java.util.Arrays;

/** Durations in virtual nanoseconds, each of them kept. */
final class Samples {
    private long[] values = new long[64];
    private int count;
    private boolean isSorted = true;

    void add(long nanos) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
        }
        values[count++] = nanos;
        isSorted = false;
    }

    void addAll(Samples others) {
        for (int i = 0; i < others.count; i++) {
            add(others.values[i]);
        }
    }

    /** Each of them less that time, and at least zero. */
    Samples minus(long nanos) {
        Samples less = new Samples();
        for (int i = 0; i < count; i++) {
            less.add(Math.max(0, values[i] - nanos));
        }
        return less;
    }

    int count() {
        return count;
    }

    /** The least duration that so large a share of all does not exceed; 0 where there is none. */
    long at(double share) {
        if (count == 0) {
            return 0;
        }
        if (!isSorted) {
            Arrays.sort(values, 0, count);
            isSorted = true;
        }
        return values[(int) Math.max(0, Math.ceil(share * count) - 1)];
    }

    double millis(double share) {
        return at(share) / 1e6;
    }

    double seconds(double share) {
        return at(share) / 1e9;
    }
}
