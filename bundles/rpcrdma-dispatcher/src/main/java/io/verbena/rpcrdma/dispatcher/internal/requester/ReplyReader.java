package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.connection.DirectionClassifier;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrReader;
import java.nio.ByteBuffer;

/**
 * Checks the chunks of a reply against those that its call offered, and hands stream and placed results to a decoder.
 * One for each connection; used on its receive thread.
 */
final class ReplyReader {
    private static final DataItem UNUSED = new DataItem(DataItem.IN_ORDER, ByteBuffer.allocate(0));

    private final XdrReader reader = new XdrReader();
    private final Counters counters;

    ReplyReader(Counters counters) {
        this.counters = counters;
    }

    /**
     * Opens a reply. The memory of its call is invalidated already.
     *
     * @return stands before the RPC header of the reply; valid until the next reply
     * @throws PeerProtocolException for chunks that do not match those of the call, or an RPC message that is not its
     *     reply
     */
    XdrReader open(CallSlot slot, ReceivedMessage received) throws PeerProtocolException {
        TransportHeader reply = received.header();
        checkLists(slot.header, reply);
        ByteBuffer stream = reply.type() == MessageType.NOMSG ? longReply(slot, reply) : received.rpcMessage();
        int at = stream.position();
        if (stream.remaining() < DirectionClassifier.MIN_REPLY) {
            throw refused(reply, "an RPC message of " + stream.remaining() + " octets", "RFC 5531 9");
        }
        if (stream.getInt(at) != slot.xid) {
            throw refused(reply, "an RPC message of XID " + Hex.of(stream.getInt(at)), "RFC 8166 4.2.1");
        }
        if (stream.getInt(at + RpcMessages.TYPE_OFFSET) != RpcMessages.REPLY) {
            throw refused(reply, "a long message that is no reply", "RFC 8166 4.4.4");
        }
        reader.wrap(stream);
        addResults(slot, reply.writeList());
        return reader;
    }

    private void checkLists(TransportHeader offered, TransportHeader reply) throws PeerProtocolException {
        if (reply.readList().size() > 0) {
            throw refused(reply, "a Read list", "RFC 8166 4.4.2");
        }
        WriteList list = reply.writeList();
        if (list.size() != offered.writeList().size()) {
            throw refused(
                    reply,
                    list.size() + " Write chunks where " + offered.writeList().size() + " were offered",
                    "RFC 8166 4.3.2");
        }
        for (int i = 0; i < list.size(); i++) {
            checkChunk(reply, "Write chunk " + i, offered.writeList().chunk(i), list.chunk(i));
        }
        if (reply.hasReplyChunk()) {
            if (!offered.hasReplyChunk()) {
                throw refused(reply, "a Reply chunk where none was offered", "RFC 8166 4.3.3");
            }
            checkChunk(reply, "Reply chunk", offered.replyChunk(), reply.replyChunk());
        }
    }

    private void checkChunk(TransportHeader reply, String what, SegmentList offered, SegmentList returned)
            throws PeerProtocolException {
        if (returned.size() != offered.size()) {
            throw refused(
                    reply,
                    what + " of " + returned.size() + " segments where " + offered.size() + " were offered",
                    "RFC 8166 3.4.6");
        }
        for (int i = 0; i < returned.size(); i++) {
            if (returned.length(i) > offered.length(i)) {
                throw refused(
                        reply,
                        what + " with " + returned.length(i) + " octets in segment " + i + " where " + offered.length(i)
                                + " were offered",
                        "RFC 8166 3.4.6");
            }
        }
    }

    private ByteBuffer longReply(CallSlot slot, TransportHeader reply) throws PeerProtocolException {
        if (!reply.hasReplyChunk()) {
            throw refused(reply, "a long reply without its Reply chunk", "RFC 8166 4.4.4");
        }
        ByteBuffer memory = slot.memory.reply();
        int length = gather(memory, 0, memory.limit(), slot.header.replyChunk(), reply.replyChunk());
        counters.add(Counter.RDMA_WRITE_BYTES, length);
        counters.add(Counter.REPLY_CHUNK_BYTES, length);
        return memory.clear().limit(length);
    }

    private void addResults(CallSlot slot, WriteList returned) {
        for (int i = 0; i < returned.size(); i++) {
            ByteBuffer sink = slot.memory.sink(i);
            ByteBuffer landing = slot.memory.landing(i);
            ByteBuffer written = landing == null ? sink : landing;
            int start = written.position();
            int length = gather(
                    written, start, sink.remaining(), slot.header.writeList().chunk(i), returned.chunk(i));
            if (length == 0) {
                reader.addItem(UNUSED);
                continue;
            }
            counters.add(Counter.RDMA_WRITE_BYTES, length);
            counters.add(Counter.WRITE_CHUNK_BYTES, length);
            if (landing != null) {
                sink.put(sink.position(), landing, start, length);
            }
            reader.addItem(new DataItem(DataItem.IN_ORDER, sink.slice(sink.position(), length)));
        }
    }

    /**
     * Moves the octets of a chunk's segments together, one behind the other from {@code start} on (RFC 8166 section
     * 3.4.6). They are together already unless the peer left a segment before the last one unfilled.
     *
     * @param room the octets of {@code memory} that were offered; segments of the chunk beyond them are for padding
     * @return the octets of the chunk, without padding
     */
    private static int gather(ByteBuffer memory, int start, int room, SegmentList offered, SegmentList returned) {
        int from = start;
        int to = start;
        for (int i = 0; i < returned.size() && from - start < room; i++) {
            int length = (int) returned.length(i);
            if (from != to && length > 0) {
                memory.put(to, memory, from, length);
            }
            to += length;
            from += (int) offered.length(i);
        }
        return to - start;
    }

    private static PeerProtocolException refused(TransportHeader reply, String what, String section) {
        return new PeerProtocolException(
                "the peer answered XID " + Hex.of(reply.xid()) + " with " + what + " (" + section + ")", null);
    }
}
