package io.verbena.verbs.iwarp.internal.wire;

import java.nio.ByteBuffer;

/**
 * The header of a DDP segment as RDMAP fills it (RFC 5041 sections 4.1 and 4.2, RFC 5040 section 4.1), at any place of
 * a big-endian buffer.
 */
public final class DdpHeader {
    static final int CONTROL = 0;
    static final int RDMAP_CONTROL = 1;

    static final int TAGGED_STAG = 2;
    public static final int TAGGED_OFFSET = 6;
    public static final int TAGGED_LENGTH = 14;

    public static final int UNTAGGED_INVALIDATE_STAG = 2;
    static final int UNTAGGED_QUEUE_NUMBER = 6;
    static final int UNTAGGED_MSN = 10;
    static final int UNTAGGED_OFFSET = 14;
    public static final int UNTAGGED_LENGTH = 18;

    private DdpHeader() {}

    public static void putTagged(ByteBuffer b, int at, int opcode, boolean last, int stag, long taggedOffset) {
        b.put(at + CONTROL, (byte) (Iwarp.DDP_TAGGED | (last ? Iwarp.DDP_LAST : 0) | Iwarp.DDP_VERSION));
        b.put(at + RDMAP_CONTROL, (byte) (Iwarp.RDMAP_VERSION | opcode));
        b.putInt(at + TAGGED_STAG, stag);
        b.putLong(at + TAGGED_OFFSET, taggedOffset);
    }

    public static void putUntagged(
            ByteBuffer b, int at, int opcode, boolean last, int invalidateStag, int queue, int msn, int messageOffset) {
        b.put(at + CONTROL, (byte) ((last ? Iwarp.DDP_LAST : 0) | Iwarp.DDP_VERSION));
        b.put(at + RDMAP_CONTROL, (byte) (Iwarp.RDMAP_VERSION | opcode));
        b.putInt(at + UNTAGGED_INVALIDATE_STAG, invalidateStag);
        b.putInt(at + UNTAGGED_QUEUE_NUMBER, queue);
        b.putInt(at + UNTAGGED_MSN, msn);
        b.putInt(at + UNTAGGED_OFFSET, messageOffset);
    }

    public static boolean isTagged(ByteBuffer b, int at) {
        return (b.get(at + CONTROL) & Iwarp.DDP_TAGGED) != 0;
    }

    public static boolean isLast(ByteBuffer b, int at) {
        return (b.get(at + CONTROL) & Iwarp.DDP_LAST) != 0;
    }

    public static int ddpVersion(ByteBuffer b, int at) {
        return b.get(at + CONTROL) & Iwarp.DDP_VERSION_MASK;
    }

    public static int rdmapVersion(ByteBuffer b, int at) {
        return b.get(at + RDMAP_CONTROL) & Iwarp.RDMAP_VERSION_MASK;
    }

    public static int opcode(ByteBuffer b, int at) {
        return b.get(at + RDMAP_CONTROL) & Iwarp.RDMAP_OPCODE_MASK;
    }

    public static int length(ByteBuffer b, int at) {
        return isTagged(b, at) ? TAGGED_LENGTH : UNTAGGED_LENGTH;
    }

    public static int stag(ByteBuffer b, int at) {
        return b.getInt(at + TAGGED_STAG);
    }

    public static long taggedOffset(ByteBuffer b, int at) {
        return b.getLong(at + TAGGED_OFFSET);
    }

    public static int invalidateStag(ByteBuffer b, int at) {
        return b.getInt(at + UNTAGGED_INVALIDATE_STAG);
    }

    public static int queueNumber(ByteBuffer b, int at) {
        return b.getInt(at + UNTAGGED_QUEUE_NUMBER);
    }

    public static int msn(ByteBuffer b, int at) {
        return b.getInt(at + UNTAGGED_MSN);
    }

    public static int messageOffset(ByteBuffer b, int at) {
        return b.getInt(at + UNTAGGED_OFFSET);
    }
}
