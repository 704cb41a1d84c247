package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.ChannelAttributes;
import java.util.Optional;

/**
 * The limits of a session's back channel: those offered, or lower ones that the server grants (RFC 8881 section
 * 18.36.3).
 *
 * @param requestSize the longest request, RPC header included, in octets
 * @param responseSize the longest reply, likewise
 * @param cachedSize the longest reply that is kept, likewise
 * @param operations the most operations of a CB_COMPOUND
 * @param slots the size of the slot table
 */
public record CallbackLimits(int requestSize, int responseSize, int cachedSize, int operations, int slots) {
    /** Fits inline with a threshold of 4096, behind a transport header of either version. */
    private static final int MESSAGE = 4000;

    private static final int OPERATIONS = 8;
    private static final int SLOTS = 16;

    /** What CREATE_SESSION asks for. */
    public static ChannelAttributes offer() {
        return new ChannelAttributes(0, MESSAGE, MESSAGE, MESSAGE, OPERATIONS, SLOTS, Optional.empty());
    }

    /** The limits that hold: those granted, at most those offered. */
    public static CallbackLimits of(ChannelAttributes granted) {
        return new CallbackLimits(
                least(granted.maxRequestSize(), MESSAGE),
                least(granted.maxResponseSize(), MESSAGE),
                least(granted.maxResponseSizeCached(), MESSAGE),
                least(granted.maxOperations(), OPERATIONS),
                Math.max(1, least(granted.maxRequests(), SLOTS)));
    }

    private static int least(int granted, int offered) {
        return Integer.compareUnsigned(granted, offered) < 0 ? granted : offered;
    }
}
