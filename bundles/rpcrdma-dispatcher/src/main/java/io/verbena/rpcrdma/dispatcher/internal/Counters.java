package io.verbena.rpcrdma.dispatcher.internal;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one connection, over all RDMA connections that it has had. Thread safe. */
final class Counters {
    private final Map<Counter, LongAdder> counts;

    Counters() {
        this(new EnumMap<>(Counter.class));
        for (Counter counter : Counter.values()) {
            counts.put(counter, new LongAdder());
        }
    }

    private Counters(Map<Counter, LongAdder> counts) {
        this.counts = counts;
    }

    /** The same counts for who serves the reverse direction: its calls and replies are counted apart. */
    Counters reverse() {
        Map<Counter, LongAdder> reverse = new EnumMap<>(counts);
        reverse.put(Counter.CALLS, counts.get(Counter.REVERSE_CALLS));
        reverse.put(Counter.REPLIES, counts.get(Counter.REVERSE_REPLIES));
        return new Counters(reverse);
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
