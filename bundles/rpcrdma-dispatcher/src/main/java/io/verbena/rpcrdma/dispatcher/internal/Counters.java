package io.verbena.rpcrdma.dispatcher.internal;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one connection, over all RDMA connections that it has had. Thread safe. */
final class Counters {
    private final Map<Counter, LongAdder> counts = new EnumMap<>(Counter.class);

    Counters() {
        for (Counter counter : Counter.values()) {
            counts.put(counter, new LongAdder());
        }
    }

    void increment(Counter counter) {
        counts.get(counter).increment();
    }

    void add(Counter counter, long amount) {
        counts.get(counter).add(amount);
    }

    long get(Counter counter) {
        return counts.get(counter).sum();
    }

    Map<String, Long> snapshot() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            all.put(counter.label(), get(counter));
        }
        return all;
    }
}
