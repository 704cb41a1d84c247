package io.verbena.rpcrdma.dispatcher.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one connection, over all RDMA connections that it has had. Thread safe. */
final class Counters {
    private final LongAdder[] counts = new LongAdder[Counter.values().length];

    Counters() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void increment(Counter counter) {
        counts[counter.ordinal()].increment();
    }

    void add(Counter counter, long amount) {
        counts[counter.ordinal()].add(amount);
    }

    long get(Counter counter) {
        return counts[counter.ordinal()].sum();
    }

    Map<String, Long> snapshot() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            all.put(counter.label(), get(counter));
        }
        return all;
    }
}
