package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;

/**
 * The message that a connection is working on. Reused for the next one; belongs to the receive thread. Whoever keeps
 * its memory for longer {@linkplain #keep keeps} it and posts the buffer again later.
 */
final class ReceivedMessage {
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

    TransportHeader header() {
        return header;
    }

    /** Hands the decoded header over and takes another one for the next message. */
    TransportHeader exchangeHeader(TransportHeader other) {
        TransportHeader mine = header;
        header = other;
        return mine;
    }

    int index() {
        return index;
    }

    int length() {
        return length;
    }

    void rpcOffset(int offset) {
        rpcOffset = offset;
    }

    int rpcOffset() {
        return rpcOffset;
    }

    int rpcLength() {
        return length - rpcOffset;
    }

    /** The whole message, from 0 to the limit. */
    ByteBuffer buffer() {
        return buffer;
    }

    /** The RPC message behind the header, from position to limit. */
    ByteBuffer rpcMessage() {
        return buffer.position(rpcOffset);
    }

    boolean invalidated() {
        return invalidated;
    }

    int invalidatedTag() {
        return invalidatedTag;
    }

    /** The buffer will be posted again by who calls this. */
    void keep() {
        posted = true;
    }

    boolean isKept() {
        return posted;
    }

    /** Posts the buffer again, once: nothing of the message is looked at from now on. */
    void release() {
        if (!posted) {
            posted = true;
            connection.repost(index);
        }
    }
}
