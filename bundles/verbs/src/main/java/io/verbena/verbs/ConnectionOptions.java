package io.verbena.verbs;

import java.util.Map;

/**
 * Limits of a connection. A post to a full queue is refused with {@link RdmaException.Kind#QUEUE_FULL}.
 *
 * @param sendQueueDepth the most sends, writes and reads posted and not yet completed
 * @param receiveQueueDepth the most receives posted and not yet completed
 * @param outboundReads the requested number of outstanding RDMA Reads of this end (ORD); further reads wait in the send
 *     queue
 * @param inboundReads the offered number of the peer's RDMA Reads that this end answers at once (IRD)
 * @param provider further options, which the provider names and checks (for {@code iwarp}: {@code crc=on|off})
 */
public record ConnectionOptions(
        int sendQueueDepth, int receiveQueueDepth, int outboundReads, int inboundReads, Map<String, String> provider) {
    public ConnectionOptions {
        provider = Map.copyOf(provider);
        if (sendQueueDepth < 1 || receiveQueueDepth < 1 || outboundReads < 0 || inboundReads < 0) {
            throw new IllegalArgumentException("queue depths are at least 1 and read limits at least 0");
        }
    }
}
