package io.verbena.rpcrdma.dispatcher.internal;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The highest version that servers turned out to speak, kept for a while so that connecting again does not go through
 * the same negotiation, or loop in it. Thread safe.
 */
final class KnownVersions {
    /** Nothing speaks against any version. */
    static final Limit UNKNOWN = new Limit(Integer.MAX_VALUE, false);

    private final Map<InetSocketAddress, Finding> findings = new HashMap<>();
    private final long keptNanos;
    private int era;

    /**
     * What to begin with.
     *
     * @param highest the highest version
     * @param told whether the server has said so itself: then there is no use in any other, else it is only wiser
     */
    record Limit(int highest, boolean told) {}

    /**
     * What was found out of one server.
     *
     * @param silent whether it did not answer, rather than say so
     */
    private record Finding(int highest, boolean silent, long atNanos) {}

    KnownVersions(Duration kept) {
        keptNanos = Nanos.of(kept);
    }

    /** What is found by a connection of this time counts only until {@link #forgetAll}. */
    synchronized int era() {
        return era;
    }

    /**
     * The server has told what it speaks.
     *
     * @param since when the connection was begun by which it did
     */
    synchronized void learn(InetSocketAddress server, int highest, int since) {
        if (since == era) {
            learn(server, highest, false);
        }
    }

    /** The server has not answered a version above that. */
    synchronized void suspect(InetSocketAddress server, int highest, int since) {
        if (since == era) {
            learn(server, highest, true);
        }
    }

    private void learn(InetSocketAddress server, int highest, boolean silent) {
        long now = System.nanoTime();
        findings.values().removeIf(finding -> now - finding.atNanos() > keptNanos);
        findings.put(server, new Finding(highest, silent, now));
    }

    /** The server speaks a version that was thought to be beyond it. */
    synchronized void forget(InetSocketAddress server) {
        findings.remove(server);
    }

    /**
     * A version has come to this host: it may come to others as well, some of which are this host, or are being updated
     * like it. What connections of before find out later is of no use any more.
     */
    synchronized void forgetAll() {
        findings.clear();
        era++;
    }

    /**
     * A connection has served until now in the version that was found. Where the server did not say so itself, trying
     * another one can cost a call all of its time: not now.
     */
    synchronized void confirm(InetSocketAddress server) {
        Finding finding = findings.get(server);
        if (finding != null && finding.silent()) {
            learn(server, finding.highest(), true);
        }
    }

    /** What to begin with at that server. */
    synchronized Limit limit(InetSocketAddress server) {
        Finding finding = findings.get(server);
        return finding == null || System.nanoTime() - finding.atNanos() > keptNanos
                ? UNKNOWN
                : new Limit(finding.highest(), !finding.silent());
    }
}
