package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcCall;
import io.verbena.rpcrdma.ConnectionSettings;
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
 * Encodes calls for one connection, and decides how each travels (RFC 8166 section 3.5):
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
 * Without state of a call's; threads that encode different calls do not disturb each other.
 */
final class CallEncoder {
    private final RdmaConnection connection;
    private final ConnectionSettings settings;
    private final Framing framing;
    private final boolean chunks;
    private final int credits;
    private final int maxSegment;
    private final int bareHeader;

    /**
     * @param chunks whether calls may have any; without, a call that does not fit inline cannot be made, and of a reply
     *     that does not the peer has to say so
     */
    CallEncoder(
            RdmaConnection connection,
            ConnectionSettings settings,
            Framing framing,
            boolean chunks,
            int credits,
            int maxSegment) {
        this.connection = connection;
        this.settings = settings;
        this.framing = framing;
        this.chunks = chunks;
        this.credits = credits;
        this.maxSegment = maxSegment;
        bareHeader = framing.encodedLength(new TransportHeader());
    }

    /**
     * Writes a call as it goes into one Send, and opens the memory that goes with it.
     *
     * @param out from 0 on, as long as the peer takes messages
     * @return the octets to send
     * @throws IllegalArgumentException for a call that no header can describe
     */
    int encode(CallSlot slot, RpcCall call, ByteBuffer out) throws RdmaException {
        call.setXid(slot.xid);
        slot.memory.begin();
        TransportHeader header = slot.header.clear();
        header.xid(slot.xid).credits(credits).direction(Direction.CALL);
        if (chunks && !replyFitsInline(call)) {
            offerWriteChunks(slot, call);
            offerReplyChunk(slot, call);
        }
        XdrWriter message = call.message();
        if (framing.encodedLength(header) + message.fullSize() <= settings.sendThreshold()) {
            int length = framing.encode(header, out, 0);
            message.copyFull(out.position(length));
        } else if (!chunks) {
            throw new IllegalArgumentException("a call of " + message.fullSize() + " octets does not go into the "
                    + settings.sendThreshold() + " of a message on this connection, and chunks are not used (RFC 8167"
                    + " 5.3)");
        } else {
            encodeChunked(slot, message, out);
        }
        return out.position();
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

    private boolean replyFitsInline(RpcCall call) {
        long size = (long) bareHeader + call.maxReplySize();
        List<ByteBuffer> sinks = call.resultSinks();
        for (int i = 0; i < sinks.size(); i++) {
            size += roundUp(sinks.get(i).remaining());
        }
        return size <= settings.receiveThreshold();
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

    /** A responder may write a result's padding too, which the sink has no room for. */
    private void offerPadding(CallSlot slot, SegmentList chunk, int length) throws RdmaException {
        int octets = (int) (roundUp(length) - length);
        if (octets > 0) {
            addSegments(chunk, slot.memory.offerPadding(connection, octets));
        }
    }

    private void offerReplyChunk(CallSlot slot, RpcCall call) throws RdmaException {
        TransportHeader header = slot.header;
        // the reply's header has the same Write list and no Read list: as this one has by now
        if ((long) framing.encodedLength(header) + call.maxReplySize() <= settings.receiveThreshold()) {
            return;
        }
        header.hasReplyChunk(true);
        addSegments(header.replyChunk(), slot.memory.offerReply(connection, call.maxReplySize()));
        if (framing.encodedLength(header) > Math.min(settings.sendThreshold(), settings.receiveThreshold())) {
            throw tooManyChunks(call.resultSinks().size() + " result sinks");
        }
    }

    private void encodeChunked(CallSlot slot, XdrWriter message, ByteBuffer out) throws RdmaException {
        TransportHeader header = slot.header;
        List<DataItem> items = message.items();
        int itemSegments = 0;
        for (int i = 0; i < items.size(); i++) {
            itemSegments += segments(items.get(i).data().remaining());
        }
        int threshold = settings.sendThreshold();
        if (lengthWith(header, itemSegments) + message.position() <= threshold) {
            addItems(slot, items);
            int length = framing.encode(header, out, 0);
            message.copyStream(0, message.position(), out.position(length));
            return;
        }
        header.type(MessageType.NOMSG);
        if (lengthWith(header, itemSegments + segments(message.position())) <= threshold) {
            ByteBuffer stream = slot.memory.takePooled(message.position());
            message.copyStream(0, message.position(), stream);
            addPositionZero(slot, stream);
            addItems(slot, items);
        } else {
            int size = Math.toIntExact(message.fullSize());
            if (lengthWith(header, segments(size)) > threshold) {
                throw tooManyChunks("what it offers and sends");
            }
            ByteBuffer whole = slot.memory.takePooled(size);
            message.copyFull(whole);
            addPositionZero(slot, whole);
        }
        out.position(framing.encode(header, out, 0));
    }

    /** The header's length if its Read list, which is empty, had that many segments. */
    private int lengthWith(TransportHeader header, int readSegments) {
        ReadList list = header.readList();
        for (int i = 0; i < readSegments; i++) {
            list.add(0, 0, 0, 0);
        }
        int length = framing.encodedLength(header);
        list.clear();
        return length;
    }

    private void addPositionZero(CallSlot slot, ByteBuffer message) throws RdmaException {
        MemoryRegion region = slot.memory.register(connection, message.flip(), Access.REMOTE_READ);
        addSegments(slot.header.readList(), 0, region);
    }

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

    private int segments(int length) {
        return length == 0 ? 0 : (length - 1) / maxSegment + 1;
    }

    private void addSegments(ReadList list, int position, MemoryRegion region) {
        for (long at = 0; at < region.length(); at += maxSegment) {
            int length = (int) Math.min(maxSegment, region.length() - at);
            list.add(position, region.steeringTag(), length, region.remoteOffset() + at);
        }
    }

    private void addSegments(SegmentList chunk, MemoryRegion region) {
        for (long at = 0; at < region.length(); at += maxSegment) {
            int length = (int) Math.min(maxSegment, region.length() - at);
            chunk.add(region.steeringTag(), length, region.remoteOffset() + at);
        }
    }

    private static long roundUp(int length) {
        return (length + 3L) & ~3L;
    }

    private IllegalArgumentException tooManyChunks(String what) {
        return new IllegalArgumentException("the call's header would not fit the " + settings.sendThreshold()
                + " octets that go inline on this connection: too many chunks for " + what);
    }
}
