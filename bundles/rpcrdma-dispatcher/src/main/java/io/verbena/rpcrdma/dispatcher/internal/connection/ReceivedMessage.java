package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;

/**
 * The message that a connection is dispatching. One object is reused for all messages of a connection. Receive thread.
 * A role that needs the octets for longer calls {@link #keep}, and posts the buffer again later.
 */
public final class ReceivedMessage {
    private final Connection connection;
    private TransportHeader header = new TransportHeader();
    private ByteBuffer buffer;
    private int index;
    private int rpcOffset;
    private int length;
    private boolean invalidated;
    private int invalidatedTag;
    private boolean posted;

    ReceivedMessage(Connection connection) {
        this.connection = connection;
    }

    void begin(int newIndex, ByteBuffer view, int newLength, boolean tagInvalidated, int tag) {
        index = newIndex;
        buffer = view.limit(newLength).position(0);
        length = newLength;
        invalidated = tagInvalidated;
        invalidatedTag = tag;
        posted = false;
        rpcOffset = 0;
    }

    public TransportHeader header() {
        return header;
    }

    /** Hands the decoded header over, and takes another one for the next message. */
    public TransportHeader exchangeHeader(TransportHeader other) {
        TransportHeader mine = header;
        header = other;
        return mine;
    }

    public int index() {
        return index;
    }

    public int length() {
        return length;
    }

    void rpcOffset(int offset) {
        rpcOffset = offset;
    }

    public int rpcOffset() {
        return rpcOffset;
    }

    int rpcLength() {
        return length - rpcOffset;
    }

    /** The whole message, from 0 to the limit. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The RPC message behind the header, from position to limit. */
    public ByteBuffer rpcMessage() {
        return buffer.position(rpcOffset);
    }

    boolean invalidated() {
        return invalidated;
    }

    int invalidatedTag() {
        return invalidatedTag;
    }

    /** The caller will post the buffer again. */
    public void keep() {
        posted = true;
    }

    boolean isKept() {
        return posted;
    }

    /** Posts the buffer again, once. The message may not be read any more. */
    public void release() {
        if (!posted) {
            posted = true;
            connection.repost(index);
        }
    }
}
