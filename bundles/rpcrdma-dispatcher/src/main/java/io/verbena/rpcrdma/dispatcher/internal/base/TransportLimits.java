package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.rpc.retry.RetryPolicy;
import java.time.Duration;

/**
 * Sizes and bounds that neither a peer nor a user sets.
 *
 * @param receiveMargin receives posted beyond the credits: for messages that are neither call nor reply, and for
 *     messages that a peer sends beyond its credits
 * @param reverseCredits the calls at once in the reverse direction: a connecting end grants them and posts receives for
 *     them, an accepting end asks for them; at least one, since a grant of zero is not allowed (RFC 8166 section 3.3.1)
 * @param maxReverseCall the largest call in the reverse direction that is accepted, in octets, chunks included
 * @param workQueueDepth the most Sends, RDMA Writes and RDMA Reads that the responder of a connection has posted at
 *     once
 * @param maxSegment the most octets advertised in one segment; longer memory is advertised in several segments
 * @param maxRead the most octets pulled by one RDMA Read; longer segments are split
 * @param pullBudget the most octets that the calls of one connection pull or hold pulled at once; a further call waits
 *     its turn
 * @param poolIdle the most octets of idle memory that a pool keeps
 * @param versionsKept how long a version that a server does not speak is remembered
 * @param reconnects the pauses between attempts to reconnect, and after connections that brought no reply
 */
public record TransportLimits(
        int receiveMargin,
        int reverseCredits,
        int maxReverseCall,
        int workQueueDepth,
        int maxSegment,
        int maxRead,
        long pullBudget,
        long poolIdle,
        Duration versionsKept,
        RetryPolicy reconnects) {
    public TransportLimits {
        reverseCredits = Math.max(1, reverseCredits);
    }

    public static final TransportLimits DEFAULT = new TransportLimits(
            8,
            8,
            2 << 20,
            1024,
            1 << 30,
            1 << 20,
            64L << 20,
            32L << 20,
            Duration.ofMinutes(10),
            RetryPolicy.doubling(Duration.ofMillis(4), Duration.ofSeconds(3))
                    .withJitter(0.5)
                    .withSettled(Duration.ofMillis(100)));

    /** As this one, with other lengths of advertised segments and of RDMA Reads. */
    public TransportLimits withSegments(int segment, int read) {
        return new TransportLimits(
                receiveMargin,
                reverseCredits,
                maxReverseCall,
                workQueueDepth,
                segment,
                read,
                pullBudget,
                poolIdle,
                versionsKept,
                reconnects);
    }
}
