package io.verbena.verbs.iwarp.internal.wire;

import java.nio.ByteBuffer;

/** The RDMA Read Request header (RFC 5040 section 4.4), which follows the untagged DDP header. */
public final class ReadRequestHeader {
    static final int SINK_STAG = 0;
    static final int SINK_OFFSET = 4;
    static final int SIZE = 12;
    static final int SOURCE_STAG = 16;
    static final int SOURCE_OFFSET = 20;
    public static final int LENGTH = 28;

    private ReadRequestHeader() {}

    public static void put(
            ByteBuffer b, int at, int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
        b.putInt(at + SINK_STAG, sinkStag);
        b.putLong(at + SINK_OFFSET, sinkOffset);
        b.putInt(at + SIZE, size);
        b.putInt(at + SOURCE_STAG, sourceStag);
        b.putLong(at + SOURCE_OFFSET, sourceOffset);
    }

    public static int sinkStag(ByteBuffer b, int at) {
        return b.getInt(at + SINK_STAG);
    }

    public static long sinkOffset(ByteBuffer b, int at) {
        return b.getLong(at + SINK_OFFSET);
    }

    public static long size(ByteBuffer b, int at) {
        return Integer.toUnsignedLong(b.getInt(at + SIZE));
    }

    public static int sourceStag(ByteBuffer b, int at) {
        return b.getInt(at + SOURCE_STAG);
    }

    public static long sourceOffset(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET);
    }
}
