package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * A message between both ends. The connecting end asks, the listening end answers each with a {@link Kind#REPLY}; never
 * is more than one on its way. Fields that a kind does not use are 0.
 *
 * @param kind what is asked
 * @param tag steering tag of the sender's memory
 * @param length in octets, or a status in a reply
 * @param offset remote offset of the sender's memory
 * @param seed of the pattern that the memory holds or will hold
 */
record Message(Kind kind, int tag, int length, long offset, long seed) {
    static final int LENGTH = 4 + 4 + 4 + 4 + 8 + 8;

    /** The most octets of one transfer that an end takes part in. */
    static final int MAX_TRANSFER = 1 << 20;

    /** Octets on either side of a transfer's target that have to stay as they are. */
    static final int GUARD = 64;

    /** Statuses of a reply. */
    static final int DONE = 0;

    static final int WRONG_CONTENTS = 1;
    static final int STILL_VALID = 2;
    static final int NOT_INVALIDATED = 3;

    private static final int MAGIC = 0x7631_5354;

    /** What is asked of the listening end. */
    enum Kind {
        /** The answer, with a status. */
        REPLY(0),
        /** Octets follow: send them back, each inverted, after the reply. */
        ECHO(1),
        /** Open memory for writes; the reply names it. */
        OPEN_FOR_WRITE(2),
        /** Open memory for reads, filled by the seed; the reply names it. */
        OPEN_FOR_READ(3),
        /** Compare the memory opened with the pattern of the seed. */
        COMPARE(4),
        /** Invalidate the memory opened. */
        INVALIDATE(5),
        /** This has come by Send with Invalidate of the memory opened: say whether that was seen. */
        INVALIDATED(6),
        /** Reply by Send with Invalidate of this tag of mine. */
        REPLY_INVALIDATING(7),
        /** Write the seed's pattern to my memory, then reply. */
        WRITE(8),
        /** Read my memory and compare it with the seed's pattern, then reply. */
        READ(9),
        /** From now on send each message of this length back, up to one that does not begin with 0. */
        PING_PONG(10),
        /** The test has ended; the length says how many steps have failed. */
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

    /** Reads one; what follows it is left to be read. */
    static Message decode(ByteBuffer in) throws RdmaException {
        if (in.remaining() < LENGTH || in.getInt() != MAGIC) {
            throw protocol("the other end has sent what is no message of the self-test");
        }
        return new Message(Kind.of(in.getInt()), in.getInt(), in.getInt(), in.getLong(), in.getLong());
    }

    /** The length as that of a transfer. */
    int transferLength() throws RdmaException {
        if (length < 1 || length > MAX_TRANSFER) {
            throw protocol("the other end has asked for a transfer of " + length + " octets");
        }
        return length;
    }

    /** What a reply that is no success means, for people. */
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
