package io.verbena.rpcrdma.dispatcher.internal.base;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of one client or one accepted connection; a client keeps them over all its RDMA connections. Thread safe.
 */
public final class Counters {
    private final Map<Counter, LongAdder> counts;

    public Counters() {
        this(new EnumMap<>(Counter.class));
        for (Counter counter : Counter.values()) {
            counts.put(counter, new LongAdder());
        }
    }

    private Counters(Map<Counter, LongAdder> counts) {
        this.counts = counts;
    }

    /** The same counts, for the role of the reverse direction: its calls and replies are counted apart. */
    public Counters reverse() {
        Map<Counter, LongAdder> reverse = new EnumMap<>(counts);
        reverse.put(Counter.CALLS, counts.get(Counter.REVERSE_CALLS));
        reverse.put(Counter.REPLIES, counts.get(Counter.REVERSE_REPLIES));
        return new Counters(reverse);
    }

    public void increment(Counter counter) {
        counts.get(counter).increment();
    }

    public void add(Counter counter, long amount) {
        counts.get(counter).add(amount);
    }

    public long get(Counter counter) {
        return counts.get(counter).sum();
    }

    public Map<String, Long> snapshot() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            all.put(counter.label(), get(counter));
        }
        return all;
    }
}
