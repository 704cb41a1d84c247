package io.verbena.simulation.network;

import java.util.Map;
import java.util.TreeMap;

/** How many faults there were, by kind. */
public final class NetworkFaults {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String kind) {
        counts.merge(kind, 1L, Long::sum);
    }

    public Map<String, Long> counts() {
        return Map.copyOf(counts);
    }

    /** The sum of all kinds. */
    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
