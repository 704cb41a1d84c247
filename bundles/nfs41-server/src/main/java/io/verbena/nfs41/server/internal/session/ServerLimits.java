package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_TOOSMALL;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.util.Optional;

/**
 * What a server grants.
 *
 * @param maxRequestSize the longest request, RPC header and data included, in octets
 * @param maxResponseSize the longest reply, likewise
 * @param maxCachedResponseSize the longest reply that the reply cache keeps
 * @param maxOperations operations of a COMPOUND
 * @param maxSlots requests of a session at once
 * @param maxSessions sessions of a client
 */
public record ServerLimits(
        int maxRequestSize,
        int maxResponseSize,
        int maxCachedResponseSize,
        int maxOperations,
        int maxSlots,
        int maxSessions) {
    /** The most octets of a READ or WRITE. */
    public static final int MAX_IO = 1 << 20;

    private static final int HEADERS = 4096;
    private static final int LEAST_MESSAGE = 512;
    private static final int LEAST_OPERATIONS = 2;

    /** The octets of a cached reply where memory is short. Replies to requests that change something are shorter. */
    static final int LEAST_CACHED = 1024;

    /** One MiB of data a request; sixteen sessions a client. */
    public static ServerLimits withSlots(int slots) {
        return new ServerLimits(MAX_IO + HEADERS, MAX_IO + HEADERS, 2 * HEADERS, 64, slots, 16);
    }

    /**
     * What a session gets of what a client wants.
     *
     * @throws NfsError {@code TOOSMALL} where too little is wanted to be of use
     */
    ChannelAttributes grant(ChannelAttributes wanted) throws NfsError {
        int request = least(wanted.maxRequestSize(), maxRequestSize);
        int response = least(wanted.maxResponseSize(), maxResponseSize);
        int operations = least(wanted.maxOperations(), maxOperations);
        if (request < LEAST_MESSAGE || response < LEAST_MESSAGE || operations < LEAST_OPERATIONS) {
            throw new NfsError(NFS4ERR_TOOSMALL);
        }
        int cached = least(wanted.maxResponseSizeCached(), Math.min(maxCachedResponseSize, response));
        int slots = Math.max(1, least(wanted.maxRequests(), maxSlots));
        return new ChannelAttributes(0, request, response, cached, operations, slots, Optional.empty());
    }

    private static int least(int wanted, int granted) {
        return Integer.compareUnsigned(wanted, granted) < 0 ? wanted : granted;
    }
}
