package io.verbena.rpcrdma.dispatcher.internal.services;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.runtime.Runtime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The highest version that servers turned out to speak, remembered for a while, so that a new connection does not
 * repeat the negotiation or loop in it. Thread safe.
 */
public final class KnownVersions {
    /** There is no finding: a connection begins with the highest version. */
    static final VersionLimit UNKNOWN = new VersionLimit(Integer.MAX_VALUE, false);

    private static final int MOST_SERVERS = 10_000;

    @GuardedBy("this")
    private final Map<InetSocketAddress, Finding> findings = new HashMap<>();

    /** The versions that servers have answered in. */
    @GuardedBy("this")
    private final Map<InetSocketAddress, Set<Integer>> spoken = new HashMap<>();

    private final long keptNanos;
    private final Runtime runtime;

    @GuardedBy("this")
    private int era;

    /**
     * The version that a connection begins with.
     *
     * @param highest the highest version
     * @param told whether the server itself named that version: then no higher one is tried; otherwise it is only the
     *     better first try
     */
    public record VersionLimit(int highest, boolean told) {}

    /**
     * A finding about one server.
     *
     * @param silent whether the server did not answer a higher version, rather than refuse it
     */
    private record Finding(int highest, boolean silent, long atNanos) {}

    KnownVersions(Duration kept, Runtime runtime) {
        this.runtime = runtime;
        keptNanos = DurationConverter.of(kept);
    }

    /**
     * The present era. Findings of a connection that was begun in an earlier era, before {@link #forgetAll}, do not
     * count.
     */
    public synchronized int era() {
        return era;
    }

    /**
     * The server named the version that it speaks.
     *
     * @param since the era in which the connection was begun
     */
    public synchronized void learn(InetSocketAddress server, int highest, int since) {
        if (since == era) {
            learn(server, highest, false);
        }
    }

    /** The server has not answered a call in a higher version. */
    public synchronized void suspect(InetSocketAddress server, int highest, int since) {
        if (since == era) {
            learn(server, highest, true);
        }
    }

    @GuardedBy("this")
    private void learn(InetSocketAddress server, int highest, boolean silent) {
        long now = runtime.nanoTime();
        findings.values().removeIf(finding -> now - finding.atNanos() > keptNanos);
        findings.put(server, new Finding(highest, silent, now));
    }

    /** A server has answered in a version. */
    public synchronized void answered(InetSocketAddress server, int version) {
        if (spoken.size() >= MOST_SERVERS && !spoken.containsKey(server)) {
            spoken.clear(); // what is not known costs a call where a framing is replaced, and nothing else
        }
        spoken.computeIfAbsent(server, address -> new TreeSet<>()).add(version);
    }

    /** The versions that a server has ever answered in. */
    public synchronized Set<Integer> spoken(InetSocketAddress server) {
        return Set.copyOf(spoken.getOrDefault(server, Set.of()));
    }

    /** Drops the finding about a server: the server speaks a higher version than was found. */
    public synchronized void forget(InetSocketAddress server) {
        findings.remove(server);
    }

    /**
     * A framing came to this host. Servers may have got the same version: some are on this host, others are being
     * updated likewise. Findings of connections that were begun before are ignored from now on.
     */
    public synchronized void forgetAll() {
        findings.clear();
        era++;
    }

    /**
     * A connection served until now in the version that was found. Where the server never named that version itself,
     * the finding is renewed: trying a higher version could cost a call all of its time.
     */
    public synchronized void confirm(InetSocketAddress server) {
        Finding finding = findings.get(server);
        if (finding != null && finding.silent()) {
            learn(server, finding.highest(), true);
        }
    }

    /** The version to begin with at that server. */
    public synchronized VersionLimit limit(InetSocketAddress server) {
        Finding finding = findings.get(server);
        return finding == null || runtime.nanoTime() - finding.atNanos() > keptNanos
                ? UNKNOWN
                : new VersionLimit(finding.highest(), !finding.silent());
    }
}
