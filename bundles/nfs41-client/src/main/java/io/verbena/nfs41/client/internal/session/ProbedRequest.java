package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.client.internal.compound.CompoundRequest;

/** The last request of a slot that a {@link SlotProbe} settles. */
interface ProbedRequest {
    /** A request that was given up. */
    ProbedRequest GIVEN_UP = new ProbedRequest() {};

    /** Whether the server keeps the reply. */
    default boolean isCached() {
        return false;
    }

    /** The greatest size of the reply in octets. */
    default int maxReplySize() {
        return CompoundRequest.SMALL_REPLY;
    }

    /**
     * The server has executed the request. Takes the slot back, so that the request can be sent again for the kept
     * reply. The probe's thread calls this, at most once.
     *
     * @return false for the slot to be free again
     */
    default boolean takeBack() {
        return false;
    }
}
