package io.verbena.rpcrdma.dispatcher.internal;

import java.util.concurrent.TimeUnit;

/**
 * One connection that was replaced. A server's end is made again by its peer: of that, nothing is known here.
 *
 * @param id the connection's number
 * @param isClient whether this end makes the next connection
 * @param remote the peer's address
 * @param reason why, for people to read
 * @param drainNanos how long calls under way were waited for
 * @param pauseNanos from then until the new connection stood; 0 on a server
 * @param replayed calls without a reply that are sent again; 0 on a server
 * @param oldVersion the version of RPC-over-RDMA before, 0 where none was settled
 * @param version the one that the new connection begins with, though its peer may speak a lower one; 0 on a server
 */
public record SwapRecord(
        long id,
        boolean isClient,
        String remote,
        String reason,
        long drainNanos,
        long pauseNanos,
        int replayed,
        int oldVersion,
        int version) {
    static SwapRecord ofServer(long id, String remote, String reason, long drainNanos, int oldVersion) {
        return new SwapRecord(id, false, remote, reason, drainNanos, 0, 0, oldVersion, 0);
    }

    /** How long calls under way were waited for. */
    long drainMillis() {
        return TimeUnit.NANOSECONDS.toMillis(drainNanos);
    }

    /** From then until the new connection stood. */
    long pauseMillis() {
        return TimeUnit.NANOSECONDS.toMillis(pauseNanos);
    }

    /** What happened, without whose connection it was. */
    String summary() {
        String drained = reason + "; drained for " + drainMillis() + " ms";
        if (!isClient) {
            return drained;
        }
        String versions = oldVersion == version ? "" : ", Version " + oldVersion + " before, begins with " + version;
        return drained + ", paused for " + pauseMillis() + " ms, " + replayed + " calls sent again" + versions;
    }

    /** A line for people. */
    String message() {
        return (isClient ? "replaced the connection to " : "let go of the connection from ") + remote + ": "
                + summary();
    }
}
