package io.verbena.verbs.selftest.internal;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The private data of both ends of a connection, by which they know each other.
 *
 * @param code of a request: {@link #MAIN} or {@link #SIDE}; of an answer: {@link #WELCOME},
 *     {@link #WELCOME_WITHOUT_INVALIDATION} or why not
 * @param session the test that a side connection belongs to: drawn by the listening end, told in its answer
 */
record Greeting(int version, int code, long session) {
    static final int VERSION = 1;

    /** Requests: the connection that a test begins and ends with, or one more that may be lost. */
    static final int MAIN = 1;

    static final int SIDE = 2;

    /** Answers. */
    static final int WELCOME = 0;

    static final int OTHER_VERSION = 1;
    static final int BUSY = 2;

    /** As {@link #WELCOME}, by an end that takes no part in remote invalidation. */
    static final int WELCOME_WITHOUT_INVALIDATION = 3;

    private static final int MAGIC = 0x5642_5354;
    private static final int LENGTH = 4 + 2 + 2 + 8;

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH)
                .putInt(MAGIC)
                .putShort((short) version)
                .putShort((short) code)
                .putLong(session)
                .array();
    }

    boolean isWelcome() {
        return version == VERSION && (code == WELCOME || code == WELCOME_WITHOUT_INVALIDATION);
    }

    /** Empty where it is none. What stands behind it is left alone: some transports fill private data up with zeros. */
    static Optional<Greeting> decode(byte[] privateData) {
        if (privateData.length < LENGTH) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(privateData);
        if (in.getInt() != MAGIC) {
            return Optional.empty();
        }
        return Optional.of(new Greeting(in.getShort() & 0xffff, in.getShort() & 0xffff, in.getLong()));
    }
}
