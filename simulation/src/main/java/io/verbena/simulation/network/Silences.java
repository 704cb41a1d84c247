package io.verbena.simulation.network;

import java.util.ArrayList;
import java.util.List;

/**
 * The times in which one host has taken no message of another one that it could read and that may renew a lease. Times
 * in virtual nanoseconds.
 */
public final class Silences {
    /** Shorter ones are not kept. */
    private static final long SHORT = 5_000_000_000L;

    private final List<Silence> all = new ArrayList<>();
    private long last;

    private record Silence(long start, long end) {
        long length() {
            return end - start;
        }
    }

    Silences(long start) {
        last = start;
    }

    void heard(long now) {
        if (now - last >= SHORT) {
            all.add(new Silence(last, now));
        }
        last = now;
    }

    /** Whether there was a silence of that length at least that was not over at a time. */
    public boolean hasBeen(long length, long since, long now) {
        return now - last >= length || all.stream().anyMatch(each -> each.end() >= since && each.length() >= length);
    }
}
