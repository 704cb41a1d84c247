package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Encodes calls for one connection, as {@link MessageSizeRules} decides how each travels (RFC 8166 section 3.5):
 *
 * <pre>
 * reply   fits one receive of ours, sinks' data included   no chunk is offered
 *         else                                             a Write chunk a sink
 *         and what is left does not fit                    and a Reply chunk
 * call    fits one receive of the peer's                   inline                  RDMA_MSG
 *         fits without its data items                      a Read chunk an item    RDMA_MSG
 *         else                                             the stream in a Position Zero Read chunk,
 *                                                          a Read chunk an item    RDMA_NOMSG
 *         and that header does not fit                     all in one Position Zero Read chunk
 * </pre>
 *
 * Holds no state of a call: threads may encode different calls at the same time.
 */
final class CallEncoder {
    private final RdmaConnection connection;
    private final Framing framing;
    private final int credits;
    private final MessageSizeRules rules;

    /**
     * @param rules also says whether calls may have chunks; without chunks a call that does not fit inline cannot be
     *     made, and a reply that does not fit is refused by the peer
     */
    CallEncoder(RdmaConnection connection, Framing framing, int credits, MessageSizeRules rules) {
        this.connection = connection;
        this.framing = framing;
        this.credits = credits;
        this.rules = rules;
    }

    MessageSizeRules rules() {
        return rules;
    }

    /**
     * Writes a call as it goes into one Send, and opens the memory that goes with it.
     *
     * @param out written from 0 on; as long as a message that the peer takes
     * @return the octets to send
     * @throws IllegalArgumentException for a call that no header can describe
     * @throws RpcException for a call that cannot be protected any more
     */
    int encode(CallSlot slot, RpcCall call, ByteBuffer out) throws RdmaException, RpcException {
        XdrWriter message = call.transmission(slot.xid);
        slot.memory.begin();
        TransportHeader header = slot.header.clear();
        header.xid(slot.xid).credits(credits).direction(Direction.CALL);
        if (rules.offersChunks(call.maxReplySize(), results(call))) {
            offerWriteChunks(slot, call);
            offerReplyChunk(slot, call);
        }
        encode(slot, message, out);
        return out.position();
    }

    /** The octets of all results that may come, each with its padding. */
    private static long results(RpcCall call) {
        long size = 0;
        List<ByteBuffer> sinks = call.resultSinks();
        for (int i = 0; i < sinks.size(); i++) {
            size += MessageSizeRules.roundUp(sinks.get(i).remaining());
        }
        return size;
    }

    private void encode(CallSlot slot, XdrWriter message, ByteBuffer out) throws RdmaException {
        TransportHeader header = slot.header;
        List<DataItem> items = message.items();
        int stream = message.position();
        switch (rules.callWay(header, stream, message.fullSize(), segments(items))) {
            case INLINE -> message.copyFull(out.position(framing.encode(header, out, 0)));
            case ITEMS -> {
                addItems(slot, items);
                message.copyStream(0, stream, out.position(framing.encode(header, out, 0)));
            }
            case STREAM_AND_ITEMS -> {
                ByteBuffer copy = slot.memory.takePooled(stream);
                message.copyStream(0, stream, copy);
                sendNoMessage(header);
                addPositionZero(slot, copy);
                addItems(slot, items);
                out.position(framing.encode(header, out, 0));
            }
            case WHOLE -> {
                ByteBuffer whole = slot.memory.takePooled(Math.toIntExact(message.fullSize()));
                message.copyFull(whole);
                sendNoMessage(header);
                addPositionZero(slot, whole);
                out.position(framing.encode(header, out, 0));
            }
            case TOO_LONG ->
                throw new IllegalArgumentException("a call of " + message.fullSize() + " octets does not go into the "
                        + rules.sendThreshold() + " of a message on this connection, and chunks are not used (RFC 8167"
                        + " 5.3)");
            case TOO_MANY_CHUNKS -> throw tooManyChunks("what it offers and sends");
        }
    }

    private int segments(List<DataItem> items) {
        int segments = 0;
        for (int i = 0; i < items.size(); i++) {
            segments += rules.segments(items.get(i).data().remaining());
        }
        return segments;
    }

    /** Writes the question of an optional operation (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1). */
    int encodeOptional(CallSlot slot, int type, ByteBuffer info, ByteBuffer out) {
        slot.header
                .clear()
                .xid(slot.xid)
                .credits(credits)
                .type(MessageType.OPTIONAL)
                .direction(Direction.CALL)
                .optionalType(type)
                .optionalInfo(info);
        return framing.encode(slot.header, out, 0);
    }

    private void offerWriteChunks(CallSlot slot, RpcCall call) throws RdmaException {
        List<ByteBuffer> sinks = call.resultSinks();
        for (int i = 0; i < sinks.size(); i++) {
            SegmentList chunk = slot.header.writeList().add();
            ByteBuffer sink = sinks.get(i);
            if (sink.hasRemaining()) {
                addSegments(chunk, slot.memory.offerSink(connection, sink));
                offerPadding(slot, chunk, sink.remaining());
            } else {
                slot.memory.offerNothing(sink);
            }
        }
    }

    /** Offers memory for the padding of a result, which a responder may write behind the sink. */
    private void offerPadding(CallSlot slot, SegmentList chunk, int length) throws RdmaException {
        int octets = (int) (MessageSizeRules.roundUp(length) - length);
        if (octets > 0) {
            addSegments(chunk, slot.memory.offerPadding(connection, octets));
        }
    }

    private void offerReplyChunk(CallSlot slot, RpcCall call) throws RdmaException {
        TransportHeader header = slot.header;
        // the reply's header has the same Write list and no Read list: as this one has by now
        if (!rules.needsReplyChunk(header, call.maxReplySize())) {
            return;
        }
        header.hasReplyChunk(true);
        addSegments(header.replyChunk(), slot.memory.offerReply(connection, call.maxReplySize()));
        if (rules.offersTooMuch(header)) {
            throw tooManyChunks(call.resultSinks().size() + " result sinks");
        }
    }

    /** Makes a call a long message, whose stream is in a Position Zero Read chunk (RFC 8166 section 3.5.3). */
    private static void sendNoMessage(TransportHeader header) {
        header.type(MessageType.NOMSG);
    }

    private void addPositionZero(CallSlot slot, ByteBuffer message) throws RdmaException {
        MemoryRegion region = slot.memory.register(connection, message.flip(), Access.REMOTE_READ);
        addSegments(slot.header.readList(), 0, region);
    }

    /** Adds a Read chunk for each data item. The Read list is in the order of the Positions, as the items are. */
    private void addItems(CallSlot slot, List<DataItem> items) throws RdmaException {
        int before = 0; // the octets of earlier items, which count in a Position though they are elsewhere
        for (int i = 0; i < items.size(); i++) {
            DataItem item = items.get(i);
            int length = item.data().remaining();
            if (length > 0) {
                MemoryRegion region = slot.memory.exposeArgument(connection, item.data());
                addSegments(slot.header.readList(), item.position() + before, region);
            }
            before += XdrWriter.roundUp(length);
        }
    }

    private void addSegments(ReadList list, int position, MemoryRegion region) {
        for (long at = 0; at < region.length(); at += rules.maxSegment()) {
            int length = (int) Math.min(rules.maxSegment(), region.length() - at);
            list.add(position, region.steeringTag(), length, region.remoteOffset() + at);
        }
    }

    private void addSegments(SegmentList chunk, MemoryRegion region) {
        for (long at = 0; at < region.length(); at += rules.maxSegment()) {
            int length = (int) Math.min(rules.maxSegment(), region.length() - at);
            chunk.add(region.steeringTag(), length, region.remoteOffset() + at);
        }
    }

    private IllegalArgumentException tooManyChunks(String what) {
        return new IllegalArgumentException("the call's header would not fit the " + rules.sendThreshold()
                + " octets that go inline on this connection: too many chunks for " + what);
    }
}
