package io.verbena.nfs41.server.internal.util;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit authenticator of short inputs. Thread safe. */
public final class SipHash {
    /** The octets of a key. */
    public static final int KEY_BYTES = 16;

    private final long k0;
    private final long k1;

    /** A hash under the first {@link #KEY_BYTES} octets from {@code offset}. */
    public SipHash(byte[] key, int offset) {
        ByteBuffer words = ByteBuffer.wrap(key, offset, KEY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        k0 = words.getLong();
        k1 = words.getLong();
    }

    public long hash(String text) {
        return hash(text.getBytes(StandardCharsets.UTF_8));
    }

    public long hash(byte[] data) {
        return hash(data, 0, data.length);
    }

    public long hash(byte[] data, int offset, int length) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        int blocks = length / Long.BYTES;
        for (int round = 0; round <= blocks + 2; round++) {
            long word = 0;
            if (round < blocks) {
                word = load(data, offset + round * Long.BYTES, Long.BYTES);
            } else if (round == blocks) {
                word = load(data, offset + blocks * Long.BYTES, length % Long.BYTES) | (long) length << 56;
            } else if (round == blocks + 1) {
                v2 ^= 0xff;
            }
            v3 ^= word;
            for (int i = 0; i < 2; i++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long load(byte[] data, int offset, int length) {
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (data[offset + i] & 0xffL) << (8 * i);
        }
        return word;
    }
}
