package io.verbena.verbs;

/**
 * What a provider tells of a message whose octets on the wire it does not see.
 *
 * @param tag of a Send with Invalidate the tag that it invalidates, of a write the sink's, of a read request the
 *     source's; else 0
 * @param offset that goes with the tag of a write or read
 * @param length the octets that a read request asks for; else that of the data
 * @param number of a read request and the response to it: the same for both, and of no other read that is under way
 */
public record WireMessage(Kind kind, int tag, long offset, int length, int number) {
    /** What is carried. */
    public enum Kind {
        /** The initiator's request for a connection; its data is the private data. */
        CONNECT_REQUEST,
        /** The answer that accepts it; likewise. */
        CONNECT_REPLY,
        SEND,
        SEND_WITH_INVALIDATE,
        WRITE,
        /** Without data. */
        READ_REQUEST,
        /** The data of a read, told when it is there. */
        READ_RESPONSE
    }

    /** A message that names no memory. */
    public static WireMessage of(Kind kind, int length) {
        return new WireMessage(kind, 0, 0, length, 0);
    }
}
