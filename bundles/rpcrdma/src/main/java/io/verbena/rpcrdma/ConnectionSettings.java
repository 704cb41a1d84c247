package io.verbena.rpcrdma;

/**
 * What holds on one connection.
 *
 * @param sendThreshold the longest message that this end may send inline, in octets
 * @param receiveThreshold the longest that the peer may send
 * @param remoteInvalidation whether both ends take part in remote invalidation
 */
public record ConnectionSettings(int sendThreshold, int receiveThreshold, boolean remoteInvalidation) {
    /** What holds where nothing was exchanged (RFC 8797 section 5.1). */
    public static final ConnectionSettings DEFAULT =
            new ConnectionSettings(LocalSettings.MIN_SIZE, LocalSettings.MIN_SIZE, false);

    /** As these, with no threshold below that: a version's default holds also where less was exchanged. */
    public ConnectionSettings atLeast(int threshold) {
        return new ConnectionSettings(
                Math.max(sendThreshold, threshold), Math.max(receiveThreshold, threshold), remoteInvalidation);
    }

    /** As these, with no threshold above that. */
    public ConnectionSettings atMost(int threshold) {
        return new ConnectionSettings(
                Math.min(sendThreshold, threshold), Math.min(receiveThreshold, threshold), remoteInvalidation);
    }
}
