package io.verbena.rpcrdma.dispatcher.internal.services;

import java.util.concurrent.TimeUnit;

/**
 * One connection that was replaced. The next connection of a server is made by its peer: nothing is known of it here.
 *
 * @param id the number of the connection
 * @param isClient whether this end makes the next connection
 * @param remote the address of the peer
 * @param reason why, for people to read
 * @param drainNanos how long the calls under way were waited for
 * @param pauseNanos from the end of the drain until the new connection stood; 0 on a server
 * @param replayed calls without a reply that are sent again; 0 on a server
 * @param oldVersion the version of RPC-over-RDMA before, 0 where none was settled
 * @param version the version that the new connection begins with, though its peer may speak a lower one; 0 on a server
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
    public static SwapRecord ofServer(long id, String remote, String reason, long drainNanos, int oldVersion) {
        return new SwapRecord(id, false, remote, reason, drainNanos, 0, 0, oldVersion, 0);
    }

    /** How long calls under way were waited for. */
    public long drainMillis() {
        return TimeUnit.NANOSECONDS.toMillis(drainNanos);
    }

    /** From the end of the drain until the new connection stood. */
    public long pauseMillis() {
        return TimeUnit.NANOSECONDS.toMillis(pauseNanos);
    }

    /** The replacement without the address of the peer. */
    public String summary() {
        String drained = reason + "; drained for " + drainMillis() + " ms";
        if (!isClient) {
            return drained;
        }
        String versions = oldVersion == version ? "" : ", Version " + oldVersion + " before, begins with " + version;
        return drained + ", paused for " + pauseMillis() + " ms, " + replayed + " calls sent again" + versions;
    }

    /** A line for people. */
    public String message() {
        return (isClient ? "replaced the connection to " : "let go of the connection from ") + remote + ": "
                + summary();
    }
}
