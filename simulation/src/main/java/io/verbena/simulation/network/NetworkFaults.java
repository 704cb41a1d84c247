package io.verbena.simulation.network;

import java.util.Map;
import java.util.TreeMap;

/** How many faults there were, by kind. */
public final class NetworkFaults {
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, Long> consequences = new TreeMap<>();

    void count(String kind) {
        counts.merge(kind, 1L, Long::sum);
    }

    public Map<String, Long> counts() {
        return Map.copyOf(counts);
    }

    void countConsequence(String kind) {
        consequences.merge(kind, 1L, Long::sum);
    }

    /** What faults have led to, by kind. */
    public Map<String, Long> consequences() {
        return Map.copyOf(consequences);
    }

    /** The sum of all kinds. */
    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
