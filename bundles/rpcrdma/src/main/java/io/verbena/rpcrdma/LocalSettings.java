package io.verbena.rpcrdma;

/**
 * The capabilities of one end of a connection.
 *
 * @param sendSize the longest message that the end sends, in octets, a multiple of 1024 from 1024 to 262144
 * @param receiveSize the longest message that the end can receive, in octets, with the same limits
 * @param remoteInvalidation whether the end supports remote invalidation (RFC 8797 section 4.1)
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
