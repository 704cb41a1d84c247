package io.verbena.rpcrdma.dispatcher.internal;

import java.time.Duration;

/**
 * Sizes and bounds that no peer and no user sets.
 *
 * @param receiveMargin receives posted beyond the credits: for messages that are neither call nor reply, and for what a
 *     peer sends beyond its credits
 * @param reverseCredits the calls at once in the reverse direction: what a connecting end grants and has receives for,
 *     and what an accepting end asks for; at least one, since no grant is ever of none (RFC 8166 section 3.3.1)
 * @param maxReverseCall the largest call in the reverse direction that is accepted, in octets, chunks included
 * @param workQueueDepth the most sends, writes and reads that the responder of a connection has posted at once
 * @param maxSegment the most octets advertised in one segment; more make several
 * @param maxRead the most octets pulled by one RDMA Read; longer segments are split
 * @param pullBudget the most octets that the calls of one connection have pulled or are pulling at once; a call beyond
 *     waits its turn
 * @param poolIdle the most octets of memory that a pool keeps for later
 * @param versionsKept how long it is remembered that a server does not speak a version
 * @param minBackoff the pause after the first failed attempt to reconnect
 * @param maxBackoff the longest such pause
 */
record Tuning(
        int receiveMargin,
        int reverseCredits,
        int maxReverseCall,
        int workQueueDepth,
        int maxSegment,
        int maxRead,
        long pullBudget,
        long poolIdle,
        Duration versionsKept,
        Duration minBackoff,
        Duration maxBackoff) {
    Tuning {
        reverseCredits = Math.max(1, reverseCredits);
    }

    static final Tuning DEFAULT = new Tuning(
            8,
            8,
            2 << 20,
            1024,
            1 << 30,
            1 << 20,
            64L << 20,
            32L << 20,
            Duration.ofMinutes(10),
            Duration.ofMillis(4),
            Duration.ofSeconds(3));

    /** As this one, with other lengths of advertised segments and of RDMA Reads. */
    Tuning withSegments(int segment, int read) {
        return new Tuning(
                receiveMargin,
                reverseCredits,
                maxReverseCall,
                workQueueDepth,
                segment,
                read,
                pullBudget,
                poolIdle,
                versionsKept,
                minBackoff,
                maxBackoff);
    }
}
