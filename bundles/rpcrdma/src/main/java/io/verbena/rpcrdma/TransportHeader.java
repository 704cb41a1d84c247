package io.verbena.rpcrdma;

import java.nio.ByteBuffer;

/**
 * The header of an RPC-over-RDMA message of any version. Callers fill it before they encode it; decoding fills it as
 * well. Reusable after {@link #clear}; not thread safe.
 */
public final class TransportHeader {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ReadList readList = new ReadList();
    private final WriteList writeList = new WriteList();
    private final SegmentList replyChunk = new SegmentList();
    private boolean hasReplyChunk;
    private int xid;
    private int credits;
    private MessageType type = MessageType.MSG;
    private Direction direction = Direction.UNKNOWN;
    private HeaderError error = HeaderError.NONE;
    private int lowVersion;
    private int highVersion;
    private int optionalType;
    private ByteBuffer optionalInfo = NOTHING;

    /** Empties all lists and sets every field to its initial value. */
    public TransportHeader clear() {
        readList.clear();
        writeList.clear();
        replyChunk.clear();
        hasReplyChunk = false;
        xid = 0;
        credits = 0;
        type = MessageType.MSG;
        direction = Direction.UNKNOWN;
        error = HeaderError.NONE;
        lowVersion = 0;
        highVersion = 0;
        optionalType = 0;
        optionalInfo = NOTHING;
        return this;
    }

    /** {@code rdma_xid}: the XID of the RPC message. */
    public int xid() {
        return xid;
    }

    public TransportHeader xid(int value) {
        xid = value;
        return this;
    }

    /** {@code rdma_credit}: requested in a call, granted in a reply; an unsigned number of 32 bits. */
    public int credits() {
        return credits;
    }

    public TransportHeader credits(int value) {
        credits = value;
        return this;
    }

    public MessageType type() {
        return type;
    }

    public TransportHeader type(MessageType value) {
        type = value;
        return this;
    }

    public Direction direction() {
        return direction;
    }

    public TransportHeader direction(Direction value) {
        direction = value;
        return this;
    }

    public ReadList readList() {
        return readList;
    }

    public WriteList writeList() {
        return writeList;
    }

    /** The Reply chunk's segments; without meaning unless {@link #hasReplyChunk}. */
    public SegmentList replyChunk() {
        return replyChunk;
    }

    /** Whether there is a Reply chunk, which may have no segments. */
    public boolean hasReplyChunk() {
        return hasReplyChunk;
    }

    public TransportHeader hasReplyChunk(boolean value) {
        hasReplyChunk = value;
        return this;
    }

    /** The error that an {@link MessageType#ERROR} message reports. */
    public HeaderError error() {
        return error;
    }

    public TransportHeader error(HeaderError value) {
        error = value;
        return this;
    }

    /** The lowest version supported, where {@link #error} is {@link HeaderError#VERSION}. */
    public int lowVersion() {
        return lowVersion;
    }

    /** The highest version supported, where {@link #error} is {@link HeaderError#VERSION}. */
    public int highVersion() {
        return highVersion;
    }

    public TransportHeader versions(int low, int high) {
        lowVersion = low;
        highVersion = high;
        return this;
    }

    /** {@code rdma_opttype} of an {@link MessageType#OPTIONAL} message. */
    public int optionalType() {
        return optionalType;
    }

    public TransportHeader optionalType(int value) {
        optionalType = value;
        return this;
    }

    /**
     * {@code rdma_optinfo} of an {@link MessageType#OPTIONAL} message: the remaining octets of this buffer. After
     * decoding it is a view of the received message, and valid as long as the message is.
     */
    public ByteBuffer optionalInfo() {
        return optionalInfo;
    }

    public TransportHeader optionalInfo(ByteBuffer value) {
        optionalInfo = value;
        return this;
    }

    /** Whether the header has any chunk. */
    public boolean hasChunks() {
        return readList.size() > 0 || writeList.size() > 0 || hasReplyChunk;
    }
}
