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
    static final int UNKNOWN = Integer.MAX_VALUE;

    private final Map<InetSocketAddress, Finding> findings = new HashMap<>();
    private final long keptNanos;

    private record Finding(int highest, long atNanos) {}

    KnownVersions(Duration kept) {
        keptNanos = Nanos.of(kept);
    }

    synchronized void learn(InetSocketAddress server, int highest) {
        long now = System.nanoTime();
        findings.values().removeIf(finding -> now - finding.atNanos() > keptNanos);
        findings.put(server, new Finding(highest, now));
    }

    /** The highest version to begin with, {@link #UNKNOWN} where nothing speaks against any. */
    synchronized int highest(InetSocketAddress server) {
        Finding finding = findings.get(server);
        return finding == null || System.nanoTime() - finding.atNanos() > keptNanos ? UNKNOWN : finding.highest();
    }
}
