package io.verbena.rpcrdma;

import java.nio.ByteBuffer;

/** The first four fields of a header, at the same offsets in every version (RFC 8166 section 7). */
public final class FixedFields {
    public static final int XID_OFFSET = 0;
    public static final int VERSION_OFFSET = 4;
    public static final int CREDITS_OFFSET = 8;
    public static final int PROCEDURE_OFFSET = 12;

    /** The octets of the four fields. The fields of the procedure follow, such as the chunk lists. */
    public static final int LENGTH = 16;

    private FixedFields() {}

    /** {@code rdma_xid} of a big-endian message of at least {@link #LENGTH} octets that starts at {@code offset}. */
    public static int xid(ByteBuffer message, int offset) {
        return message.getInt(offset + XID_OFFSET);
    }

    /** {@code rdma_vers} of such a message. */
    public static int version(ByteBuffer message, int offset) {
        return message.getInt(offset + VERSION_OFFSET);
    }

    /** {@code rdma_credit} of such a message. */
    public static int credits(ByteBuffer message, int offset) {
        return message.getInt(offset + CREDITS_OFFSET);
    }

    /** {@code rdma_proc} of such a message. */
    public static int procedure(ByteBuffer message, int offset) {
        return message.getInt(offset + PROCEDURE_OFFSET);
    }
}
