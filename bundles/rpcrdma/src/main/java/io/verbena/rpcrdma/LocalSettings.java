package io.verbena.rpcrdma;

/**
 * What one end of a connection can do.
 *
 * @param sendSize the longest message it sends, in octets, a multiple of 1024 from 1024 to 262144
 * @param receiveSize the longest message it can receive, likewise
 * @param remoteInvalidation whether it takes part in remote invalidation (RFC 8797 section 4.1)
 */
public record LocalSettings(int sendSize, int receiveSize, boolean remoteInvalidation) {
    public static final int MIN_SIZE = 1024;
    public static final int MAX_SIZE = 262144;

    public LocalSettings {
        check("send", sendSize);
        check("receive", receiveSize);
    }

    private static void check(String which, int size) {
        if (size < MIN_SIZE || size > MAX_SIZE || size % MIN_SIZE != 0) {
            throw new IllegalArgumentException(
                    which + " size " + size + " is not a multiple of 1024 from " + MIN_SIZE + " to " + MAX_SIZE);
        }
    }
}
