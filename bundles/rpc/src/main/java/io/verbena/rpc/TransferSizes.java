package io.verbena.rpc;

/**
 * How a call and its reply are transferred (RFC 8166 section 3.5), and the sizes that decide this, in octets.
 *
 * @param call the way of the call
 * @param callOctets the size of one inline Send: transport header, RPC header, arguments
 * @param callThreshold the most octets that a Send of this end may have
 * @param readSegments the segments of the call's Read list
 * @param reply the largest way that the reply may take; the responder takes the smallest sufficient one
 * @param replyOctets the size of one inline Send of the largest reply
 * @param replyThreshold the most octets that a Send of the peer may have
 * @param writeSegments the segments of the Write chunks offered for the result
 * @param replySegments the segments of the offered Reply chunk
 * @param registrations the memory regions that the peer may access for this call
 */
public record TransferSizes(
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
    /** The ways to transfer a message. */
    public enum Way {
        /** The whole message in one Send: a short message. */
        INLINE,
        /** The data item in a chunk, the rest in one Send: a chunked message. */
        CHUNK,
        /** The message itself in a Position Zero Read chunk or a Reply chunk: a long message. */
        LONG,
        /** No way: the message does not fit in a Send, and chunks are not allowed or do not help. */
        NONE
    }
}
