package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;

/**
 * The receives that an end posts before the peer may send. A connecting end posts one for the reply to each of its
 * calls, before it may have that many in flight, and one for each call in the reverse direction (RFC 8167 section
 * 4.3.1). An accepting end posts one for each
 * call and one for the reply to each of its calls in the reverse direction (section 4.3.2). Both ends post some more,
 * for messages that have no credit.
 */
public final class PostedReceives {
    private PostedReceives() {}

    /**
     * Returns the number of receives of one end.
     *
     * @param forward the calls of the forward direction that may be in flight: at most the credits that this end
     *     requests, or those that this end grants
     */
    public static int of(int forward, TransportLimits limits) {
        return forward + limits.receiveMargin() + limits.reverseCredits();
    }
}
