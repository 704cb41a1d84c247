package io.verbena.verbs;

/**
 * The description of a message by a provider that does not see the octets on the wire.
 *
 * @param tag the invalidated tag of a Send with Invalidate, the sink's tag of a write, the source's tag of a read
 *     request; otherwise 0
 * @param offset the offset that belongs to the tag of a write or read
 * @param length the octets that a read request asks for; otherwise the length of the data
 * @param number the same number for a read request and its response, unique among the reads under way
 */
public record WireMessage(Kind kind, int tag, long offset, int length, int number) {
    /** The kinds of message. */
    public enum Kind {
        /** The initiator's request for a connection; its data is the private data. */
        CONNECT_REQUEST,
        /** The answer that accepts the request; its data is the private data. */
        CONNECT_REPLY,
        SEND,
        SEND_WITH_INVALIDATE,
        WRITE,
        /** A read request, without data. */
        READ_REQUEST,
        /** The data of a read, reported after it has arrived. */
        READ_RESPONSE
    }

    /** A message that names no memory. */
    public static WireMessage of(Kind kind, int length) {
        return new WireMessage(kind, 0, 0, length, 0);
    }
}
