package io.verbena.verbs.natives.internal.library;

import java.nio.ByteBuffer;

/**
 * A copy of a {@code rdma_cm_event}.
 *
 * @param id the id of the event; with a connection request, the new id
 * @param token the token of that id; 0 with a connection request
 * @param listenToken with a connection request, the token of the listening id; else 0
 * @param status 0, a negative error number, or a transport's reason for a rejection
 * @param responderResources the most RDMA Reads of the peer that this end answers at once (rdma_get_cm_event(3))
 * @param initiatorDepth the most RDMA Reads of this end in flight at once
 */
public record CmEvent(
        Type type,
        long id,
        long token,
        long listenToken,
        int status,
        ByteBuffer privateData,
        int responderResources,
        int initiatorDepth) {
    /** {@code rdma_cm_event_type}, in its order. */
    public enum Type {
        ADDR_RESOLVED,
        ADDR_ERROR,
        ROUTE_RESOLVED,
        ROUTE_ERROR,
        CONNECT_REQUEST,
        CONNECT_RESPONSE,
        CONNECT_ERROR,
        UNREACHABLE,
        REJECTED,
        ESTABLISHED,
        DISCONNECTED,
        DEVICE_REMOVAL,
        MULTICAST_JOIN,
        MULTICAST_ERROR,
        ADDR_CHANGE,
        TIMEWAIT_EXIT
    }
}
