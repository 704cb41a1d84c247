package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.HostAddresses;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The connections of a listener, whose number is limited. When the limit is reached, a new connection is admitted in
 * place of another:
 *
 * <pre>
 * another host has more connections       the one of the host with the most that is idle longest, however long; where
 *   than the newcomer's would have          none of them is idle, the one that is not heard of longest
 * else                                    of those that are idle long enough, one of the host with the most
 * none of these is idle                   the newcomer is refused
 * </pre>
 *
 * So no host locks out another, and a client whose connection was ended connects again when it has something to
 * send. When memory is short, idle connections are ended too. A connection is listed here until it has ended; those
 * that are ending do not count towards the limit. Thread safe.
 */
final class AdmittedConnections {
    /**
     * A connection that may be ended for a new one.
     *
     * @param address as {@link HostAddresses#hostOf} has it
     * @param isBusy whether a call is under way
     * @param silentNanos how long no message came by it; negative where it does not stand yet, and must not be ended
     */
    record Candidate(long id, InetAddress address, boolean isBusy, long silentNanos) {}

    private record Entry(Connection connection, InetAddress address) {}

    private final int most;

    @GuardedBy("this")
    private final Map<Long, Entry> entries = new TreeMap<>();

    @GuardedBy("this")
    private boolean closed;

    AdmittedConnections(int most) {
        this.most = most;
    }

    /**
     * Admits a connection.
     *
     * @return false where it is refused
     */
    boolean admit(Connection fresh, InetSocketAddress remote) {
        Connection leaving;
        String why;
        synchronized (this) {
            boolean full = isFull();
            Candidate victim =
                    full ? victim(taken(), HostAddresses.hostOf(remote.getAddress()), idleNanos(fresh)) : null;
            // connections that are ending hold memory and threads: their number has the same limit
            if (closed || (full && victim == null) || entries.size() >= 2L * most) {
                return false;
            }
            leaving = full ? entries.get(victim.id()).connection() : null;
            why = full && victim.isBusy() ? "its host has the most" : "it carried nothing";
            entries.put(fresh.id(), new Entry(fresh, HostAddresses.hostOf(remote.getAddress())));
        }
        if (leaving != null) {
            leaving.end(new RdmaException(
                    RdmaException.Kind.RESOURCES,
                    "its place was needed for " + Addresses.text(remote) + ": there are " + most + " connections, and "
                            + why + " (maxConnections)"));
        }
        return true;
    }

    @GuardedBy("this")
    private boolean isFull() {
        if (entries.size() < most) {
            return false;
        }
        long lasting = entries.values().stream()
                .filter(entry -> !entry.connection().isEnding())
                .count();
        return lasting >= most;
    }

    private static long idleNanos(Connection of) {
        return DurationConverter.of(of.context().bounds().get().idleTime());
    }

    @GuardedBy("this")
    private List<Candidate> taken() {
        List<Candidate> taken = new ArrayList<>();
        entries.forEach((id, entry) -> {
            Connection connection = entry.connection();
            if (!connection.isEnding()) {
                long silent = connection.activity().silentNanos();
                taken.add(new Candidate(id, entry.address(), silent >= 0 && connection.isBusy(), silent));
            }
        });
        return taken;
    }

    /** The connection to end for a new one, or null. */
    static Candidate victim(List<Candidate> taken, InetAddress newcomer, long longEnough) {
        Map<InetAddress, Integer> counts = counts(taken);
        int own = counts.getOrDefault(newcomer, 0) + 1;
        int highest = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return best(taken, counts, candidate -> {
            boolean greedy = highest > own && counts.get(candidate.address()) == highest;
            return candidate.silentNanos() >= 0 && (greedy || isIdle(candidate, longEnough));
        });
    }

    private static Map<InetAddress, Integer> counts(List<Candidate> candidates) {
        Map<InetAddress, Integer> counts = new HashMap<>();
        candidates.forEach(candidate -> counts.merge(candidate.address(), 1, Integer::sum));
        return counts;
    }

    /** The best to end of those that may be ended; null where none may. */
    private static Candidate best(
            List<Candidate> candidates, Map<InetAddress, Integer> counts, Predicate<Candidate> may) {
        Candidate found = null;
        for (Candidate candidate : candidates) {
            if (may.test(candidate) && (found == null || isBetter(candidate, found, counts))) {
                found = candidate;
            }
        }
        return found;
    }

    private static boolean isBetter(Candidate candidate, Candidate than, Map<InetAddress, Integer> counts) {
        int more = counts.get(candidate.address()) - counts.get(than.address());
        if (more != 0) {
            return more > 0;
        }
        return candidate.isBusy() == than.isBusy() ? candidate.silentNanos() > than.silentNanos() : than.isBusy();
    }

    private static boolean isIdle(Candidate candidate, long longEnough) {
        return !candidate.isBusy() && candidate.silentNanos() >= longEnough;
    }

    /** Memory is short: ends one connection that is idle for long enough, of the host with the most. */
    void giveBack() {
        Connection leaving = null;
        synchronized (this) {
            List<Candidate> idle = new ArrayList<>();
            for (Candidate candidate : taken()) {
                if (isIdle(candidate, idleNanos(entries.get(candidate.id()).connection()))) {
                    idle.add(candidate);
                }
            }
            Candidate found = best(idle, counts(idle), candidate -> true);
            if (found != null) {
                leaving = entries.get(found.id()).connection();
            }
        }
        if (leaving != null) {
            leaving.end(new RdmaException(
                    RdmaException.Kind.RESOURCES, "direct memory is short, and it carried nothing (idleTimeout)"));
        }
    }

    /** A connection has ended. */
    synchronized void forget(Connection ended) {
        entries.remove(ended.id());
    }

    /** The number of connections, with those that are ending. */
    synchronized int size() {
        return entries.size();
    }

    /** All that have not ended. */
    synchronized List<Connection> present() {
        return entries.values().stream().map(Entry::connection).toList();
    }

    /** Admits no further connection. */
    synchronized void close() {
        closed = true;
    }
}
