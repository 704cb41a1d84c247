package io.verbena.rpcrdma;

/**
 * The settings of one connection.
 *
 * @param sendThreshold the longest message that this end may send inline, in octets
 * @param receiveThreshold the longest message that the peer may send inline, in octets
 * @param remoteInvalidation whether both ends take part in remote invalidation
 */
public record ConnectionSettings(int sendThreshold, int receiveThreshold, boolean remoteInvalidation) {
    /** The settings without an exchange of private data (RFC 8797 section 5.1). */
    public static final ConnectionSettings WITHOUT_PRIVATE_DATA =
            new ConnectionSettings(LocalSettings.MIN_SIZE, LocalSettings.MIN_SIZE, false);

    /**
     * These settings with both thresholds raised to a minimum: a version's default holds even if smaller sizes were
     * exchanged.
     */
    public ConnectionSettings atLeast(int threshold) {
        return new ConnectionSettings(
                Math.max(sendThreshold, threshold), Math.max(receiveThreshold, threshold), remoteInvalidation);
    }

    /** These settings with both thresholds limited to a maximum. */
    public ConnectionSettings atMost(int threshold) {
        return new ConnectionSettings(
                Math.min(sendThreshold, threshold), Math.min(receiveThreshold, threshold), remoteInvalidation);
    }
}
