package io.verbena.simulation.coverage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/** The states that were entered, from where and how often. The rewritten classes call it. */
public final class StateCoverage {
    private static final StateCoverage PRESENT = new StateCoverage();
    private static final int MOST_STATES = 16;
    private static final String NEW = "new";

    @GuardedBy("this")
    private final List<StateSite> sites = new ArrayList<>();

    @GuardedBy("this")
    private final Map<StateMachine, List<String>> states = new LinkedHashMap<>();

    /** For each site: how often it set which state in place of which. */
    private volatile AtomicLongArray[] counts = {};

    StateCoverage() {}

    /** The one that rewritten classes call. */
    public static StateCoverage present() {
        return PRESENT;
    }

    /** Adds a site. */
    synchronized int add(StateSite site) {
        sites.add(site);
        AtomicLongArray[] more = new AtomicLongArray[sites.size()];
        System.arraycopy(counts, 0, more, 0, counts.length);
        more[counts.length] = new AtomicLongArray((MOST_STATES + 1) * MOST_STATES);
        counts = more;
        return more.length - 1;
    }

    synchronized void add(StateMachine machine, List<String> names) {
        if (names.size() > MOST_STATES) {
            throw new IllegalArgumentException(machine.name() + " has " + names.size() + " states");
        }
        states.put(machine, names);
    }

    /** A rewritten class is about to set a field. */
    public static void set(Enum<?> before, Enum<?> after, int site) {
        PRESENT.count(before, after, site);
    }

    /** In place of {@link AtomicReference#set}. */
    public static void set(AtomicReference<Object> reference, Object after, int site) {
        Object before = reference.getAndSet(after);
        PRESENT.countIfState(before, after, site);
    }

    /** In place of {@link AtomicReference#compareAndSet}. */
    public static boolean compareAndSet(AtomicReference<Object> reference, Object before, Object after, int site) {
        boolean done = reference.compareAndSet(before, after);
        if (done) {
            PRESENT.countIfState(before, after, site);
        }
        return done;
    }

    private void countIfState(Object before, Object after, int site) {
        if (after instanceof Enum<?> state) {
            count(before instanceof Enum<?> old ? old : null, state, site);
        }
    }

    @SuppressWarnings("EnumOrdinal") // an index of the counts, and nothing that is kept
    private void count(Enum<?> before, Enum<?> after, int site) {
        int from = before == null ? 0 : before.ordinal() + 1;
        counts[site].getAndIncrement(from * MOST_STATES + after.ordinal());
    }

    /** Whether any class was rewritten. */
    public synchronized boolean isOn() {
        return !sites.isEmpty();
    }

    /** The states as a table for people: each with the states before it; then those that were never entered. */
    public synchronized String report() {
        StringBuilder text = new StringBuilder();
        states.forEach((machine, names) -> report(machine, names, text));
        for (StateMachine each : StateMachine.ALL) {
            if (!states.containsKey(each)) {
                text.append(each.name()).append(": ").append(each.states()).append(" was not loaded\n");
            }
        }
        return text.toString();
    }

    @GuardedBy("this")
    private void report(StateMachine machine, List<String> names, StringBuilder text) {
        long[] all = new long[(MOST_STATES + 1) * MOST_STATES];
        List<String> idle = new ArrayList<>();
        for (int site = 0; site < sites.size(); site++) {
            if (!sites.get(site).machine().equals(machine)) {
                continue;
            }
            long total = 0;
            for (int i = 0; i < all.length; i++) {
                all[i] += counts[site].get(i);
                total += counts[site].get(i);
            }
            if (total == 0) {
                idle.add(sites.get(site).place() + " " + sites.get(site).state());
            }
        }
        text.append(machine.name()).append(": ").append(machine.states()).append('\n');
        List<String> never = new ArrayList<>();
        for (int state = 0; state < names.size(); state++) {
            Map<String, Long> from = new TreeMap<>();
            for (int before = 0; before <= names.size(); before++) {
                long count = all[before * MOST_STATES + state];
                if (count > 0) {
                    from.put(before == 0 ? NEW : names.get(before - 1), count);
                }
            }
            if (from.isEmpty()) {
                never.add(names.get(state));
            } else {
                long total = from.values().stream().mapToLong(Long::longValue).sum();
                text.append(String.format("  %-12s %12d  from %s%n", names.get(state), total, from));
            }
        }
        text.append("  states never entered: ").append(never.isEmpty() ? "none" : String.join(", ", never));
        text.append("\n  places that never set one: ").append(idle.isEmpty() ? "none" : String.join(", ", idle));
        text.append('\n');
    }
}
