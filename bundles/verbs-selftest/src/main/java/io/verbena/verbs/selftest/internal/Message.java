package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * A message between both ends. The connecting end sends requests, and the listening end answers each one with a
 * {@link Kind#REPLY}; at most one message is on its way. Fields that a kind does not use are 0.
 *
 * @param kind the kind of request
 * @param tag steering tag of the sender's memory
 * @param length the length in octets, or the status of a reply
 * @param offset remote offset of the sender's memory
 * @param seed the seed of the pattern in the memory
 */
record Message(Kind kind, int tag, int length, long offset, long seed) {
    static final int LENGTH = 4 + 4 + 4 + 4 + 8 + 8;

    /** The most octets of one transfer. */
    static final int MAX_TRANSFER = 1 << 20;

    /** The octets on either side of a transfer's target that must not change. */
    static final int GUARD = 64;

    /** Statuses of a reply. */
    static final int DONE = 0;

    static final int WRONG_CONTENTS = 1;
    static final int STILL_VALID = 2;
    static final int NOT_INVALIDATED = 3;

    private static final int MAGIC = 0x7631_5354;

    /** The requests to the listening end. */
    enum Kind {
        /** The answer, with a status. */
        REPLY(0),
        /** Send the following octets back behind the reply, each inverted. */
        ECHO(1),
        /** Open memory for writes; the reply holds its tag and offset. */
        OPEN_FOR_WRITE(2),
        /** Open memory for reads, filled with the seed's pattern; the reply holds its tag and offset. */
        OPEN_FOR_READ(3),
        /** Compare the opened memory with the seed's pattern. */
        COMPARE(4),
        /** Invalidate the opened memory. */
        INVALIDATE(5),
        /**
         * This request was sent with Send with Invalidate of the opened memory: reply whether the invalidation was
         * seen.
         */
        INVALIDATED(6),
        /** Reply by Send with Invalidate of this tag of the sender. */
        REPLY_INVALIDATING(7),
        /** Write the seed's pattern to the sender's memory, then reply. */
        WRITE(8),
        /** Read the sender's memory and compare it with the seed's pattern, then reply. */
        READ(9),
        /** Send each further message of this length back, up to a message that does not begin with 0. */
        PING_PONG(10),
        /** The test has ended; the length is the number of failed steps. */
        END(11);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static Kind of(int number) throws RdmaException {
            for (Kind kind : KINDS) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw protocol("the other end has sent a message of the unknown kind " + number);
        }
    }

    private static final Kind[] KINDS = Kind.values();

    static Message of(Kind kind) {
        return new Message(kind, 0, 0, 0, 0);
    }

    static Message of(Kind kind, int length, long seed) {
        return new Message(kind, 0, length, 0, seed);
    }

    static Message reply(int status) {
        return new Message(Kind.REPLY, 0, status, 0, 0);
    }

    Message withLength(int newLength) {
        return new Message(kind, tag, newLength, offset, seed);
    }

    void encode(ByteBuffer out) {
        out.putInt(MAGIC)
                .putInt(kind.number)
                .putInt(tag)
                .putInt(length)
                .putLong(offset)
                .putLong(seed);
    }

    /** Decodes a message; octets behind it remain in the buffer. */
    static Message decode(ByteBuffer in) throws RdmaException {
        if (in.remaining() < LENGTH || in.getInt() != MAGIC) {
            throw protocol("the other end has sent what is no message of the self-test");
        }
        return new Message(Kind.of(in.getInt()), in.getInt(), in.getInt(), in.getLong(), in.getLong());
    }

    /** The length, checked as that of a transfer. */
    int transferLength() throws RdmaException {
        if (length < 1 || length > MAX_TRANSFER) {
            throw protocol("the other end has asked for a transfer of " + length + " octets");
        }
        return length;
    }

    /** The meaning of a failure reply, for people to read. */
    String problem() {
        return switch (length) {
            case WRONG_CONTENTS -> "the other end found wrong contents";
            case STILL_VALID -> "the other end's memory is valid still";
            case NOT_INVALIDATED -> "the message did not invalidate the other end's memory";
            default -> "the other end answered with status " + length;
        };
    }

    static RdmaException protocol(String message) {
        return new RdmaException(RdmaException.Kind.PROTOCOL, message);
    }
}
