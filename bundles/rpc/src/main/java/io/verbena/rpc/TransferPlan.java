package io.verbena.rpc;

/**
 * How a call travels (RFC 8166 section 3.5), and the sizes that decide it, in octets.
 *
 * @param call how the call goes out
 * @param callOctets its one Send if all went inline: transport header, RPC header, arguments
 * @param callThreshold the most octets that a Send of this end may have
 * @param readSegments the segments of the call's Read list
 * @param reply how the reply may come at the most; the responder takes the smallest way that does
 * @param replyOctets its one Send if all came inline
 * @param replyThreshold the most octets that a Send of the peer may have
 * @param writeSegments the segments of the Write chunks that are offered for the result
 * @param replySegments the segments of the Reply chunk that is offered
 * @param registrations the memory regions that are opened to the peer for this call
 */
public record TransferPlan(
        Way call,
        long callOctets,
        int callThreshold,
        int readSegments,
        Way reply,
        long replyOctets,
        int replyThreshold,
        int writeSegments,
        int replySegments,
        int registrations) {
    /** How a message travels. */
    public enum Way {
        /** All of it in one Send: a short message. */
        INLINE,
        /** Its data item by a chunk, the rest in one Send: a chunked message. */
        CHUNK,
        /** The message itself by a Position Zero Read chunk, or a Reply chunk: a long message. */
        LONG,
        /** Not at all: it does not fit, and there may be no chunks for it, or none that would do. */
        NONE
    }
}
