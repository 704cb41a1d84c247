package io.verbena.rpcrdma.cm.internal;

import io.verbena.rpcrdma.LocalSettings;
import java.nio.ByteBuffer;

/**
 * The block of private data that two RPC-over-RDMA ends exchange when they connect (RFC 8797 section 4). Both ends send
 * the same format.
 *
 * <pre>
 * 0  format identifier, four octets in network order
 * 4  version: 1
 * 5  flags: the lowest bit says that the sender takes part in remote invalidation; the others are zero
 * 6  send size:    octets / 1024 - 1
 * 7  receive size: octets / 1024 - 1
 * </pre>
 */
final class PrivateData {
    static final int FORMAT_IDENTIFIER = 0xf6ab0e18;
    static final int VERSION = 1;
    static final int FLAG_REMOTE_INVALIDATION = 0x01;

    static final int VERSION_OFFSET = 4;
    static final int FLAGS_OFFSET = 5;
    static final int SEND_SIZE_OFFSET = 6;
    static final int RECEIVE_SIZE_OFFSET = 7;
    static final int LENGTH = 8;

    private static final int SIZE_UNIT = 1024;

    private PrivateData() {}

    static byte[] encode(LocalSettings local) {
        byte[] block = new byte[LENGTH];
        ByteBuffer.wrap(block)
                .putInt(FORMAT_IDENTIFIER)
                .put((byte) VERSION)
                .put((byte) (local.remoteInvalidation() ? FLAG_REMOTE_INVALIDATION : 0))
                .put(encodeSize(local.sendSize()))
                .put(encodeSize(local.receiveSize()));
        return block;
    }

    /**
     * The offset of the block in received private data, or -1 where there is none. Other layers may have put data
     * before and behind the block, without alignment (RFC 8797 section 5.2). The identifier alone is not sufficient,
     * since any data may hold these four octets by chance: if another version or too few octets follow, the search
     * continues.
     */
    static int find(byte[] privateData) {
        ByteBuffer data = ByteBuffer.wrap(privateData);
        for (int at = 0; at <= privateData.length - LENGTH; at++) {
            if (data.getInt(at) == FORMAT_IDENTIFIER && privateData[at + VERSION_OFFSET] == VERSION) {
                return at;
            }
        }
        return -1;
    }

    /** The flag for remote invalidation; receivers ignore the reserved flags (RFC 8797 section 4). */
    static boolean remoteInvalidation(byte[] privateData, int block) {
        return (privateData[block + FLAGS_OFFSET] & FLAG_REMOTE_INVALIDATION) != 0;
    }

    /** The longest message that the sender of the block sends, in octets. */
    static int sendSize(byte[] privateData, int block) {
        return decodeSize(privateData[block + SEND_SIZE_OFFSET]);
    }

    /** The longest message that the sender of the block can receive, in octets. */
    static int receiveSize(byte[] privateData, int block) {
        return decodeSize(privateData[block + RECEIVE_SIZE_OFFSET]);
    }

    private static byte encodeSize(int octets) {
        return (byte) (octets / SIZE_UNIT - 1);
    }

    private static int decodeSize(byte value) {
        return (Byte.toUnsignedInt(value) + 1) * SIZE_UNIT;
    }
}
