package io.verbena.verbs;

import java.util.Map;

/**
 * Limits of a connection. Queues never hold more than they were made for: a post beyond is refused with
 * {@link RdmaException.Kind#QUEUE_FULL}.
 *
 * @param sendQueueDepth the most sends, writes and reads posted and not yet completed
 * @param receiveQueueDepth the most receives posted and not yet completed
 * @param outboundReads the most RDMA Reads of ours in flight at once (ORD) to ask for; further ones wait in the send
 *     queue
 * @param inboundReads the most RDMA Reads of the peer's that we answer at once (IRD) to offer
 * @param provider further options, named and checked by the provider (for {@code iwarp}: {@code crc=on|off})
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
