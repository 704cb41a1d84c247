package io.verbena.verbs.selftest.internal;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The private data by which both ends of a connection recognize each other.
 *
 * @param code of a request: {@link #MAIN} or {@link #SIDE}; of an answer: {@link #WELCOME},
 *     {@link #WELCOME_WITHOUT_INVALIDATION} or the reason of a refusal
 * @param session the random number of the test that a side connection belongs to; the answer of the listening end holds
 *     it
 */
record HandshakeData(int version, int code, long session) {
    static final int VERSION = 1;

    /** Requests: the main connection of a test, or a side connection, which may be lost. */
    static final int MAIN = 1;

    static final int SIDE = 2;

    /** Answers. */
    static final int WELCOME = 0;

    static final int OTHER_VERSION = 1;
    static final int BUSY = 2;

    /** As {@link #WELCOME}, from an end that does not support remote invalidation. */
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

    /**
     * Decodes a handshake; empty where the octets are not a handshake. Octets behind it are ignored: some transports
     * pad private data with zeros.
     */
    static Optional<HandshakeData> decode(byte[] privateData) {
        if (privateData.length < LENGTH) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(privateData);
        if (in.getInt() != MAGIC) {
            return Optional.empty();
        }
        return Optional.of(new HandshakeData(in.getShort() & 0xffff, in.getShort() & 0xffff, in.getLong()));
    }
}
