package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool.RegisteredBuffer;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Encodes replies for one connection, and decides how each travels (RFC 8166 sections 3.4.6 and 3.5):
 *
 * <pre>
 * data item n, and there is a Write chunk n     by RDMA Write into it
 *              and it is too short              the reply cannot be sent
 *              and there is none                stays in the stream
 * stream       fits the Reply chunk             by RDMA Write into it       RDMA_NOMSG
 *              fits one receive of the peer's   inline                      RDMA_MSG
 *              else                             the reply cannot be sent
 * cannot be sent                                ERR_CHUNK                   RDMA_ERROR
 * </pre>
 *
 * Holds no state of a request: threads may encode different replies at the same time.
 */
final class ReplyWriter {
    private final Connection connection;
    private final RdmaConnection rdma;
    private final RegisteredPool pool;
    private final int credits;
    private final int copyLimit;
    private final int maxWrites;

    /**
     * @param maxWrites the most RDMA Writes of one reply
     */
    ReplyWriter(Connection connection, RegisteredPool pool, int credits, int maxWrites) {
        this.connection = connection;
        this.rdma = connection.rdma();
        this.pool = pool;
        this.credits = credits;
        // data items in the program's memory may lie in a receive buffer, which is posted again before the answer is
        // sent
        this.copyLimit = connection.receiveSize();
        this.maxWrites = maxWrites;
    }

    /**
     * Encodes the reply to a request: its reply head, and the results where there are some.
     *
     * @return false where the reply fits nowhere; {@link #encodeError} then answers
     */
    boolean encode(ReceivedCall request, XdrWriter results, Framing framing)
            throws RdmaException, MemoryRefusedException {
        int threshold = connection.settings().sendThreshold();
        takeSendBuffer(request, threshold);
        TransportHeader reply = begin(request);
        List<DataItem> items = results == null ? List.of() : results.items();
        if (!placeItems(request, items)) {
            return false;
        }
        WriteList offered = request.header.writeList();
        int size = streamSize(request.replyHead, results, items, offered);
        ByteBuffer out = request.sendBuffer.view().clear();
        if (reply.hasReplyChunk() && size <= reply.replyChunk().totalLength()) {
            RegisteredBuffer piece = request.take(size);
            copyStream(request.replyHead, results, items, offered, piece.view().clear());
            request.writes.fill(reply.replyChunk(), piece.region(), 0, size);
            reply.type(MessageType.NOMSG);
            if (framing.encodedLength(reply) > threshold) {
                return false;
            }
            request.sendLength = framing.encode(reply, out, 0);
        } else {
            zero(reply.replyChunk());
            int headerLength = framing.encodedLength(reply);
            if (headerLength + size > threshold) {
                return false;
            }
            framing.encode(reply, out, 0);
            copyStream(request.replyHead, results, items, offered, out.position(headerLength));
            request.sendLength = headerLength + size;
        }
        return request.writes.size() <= maxWrites;
    }

    /** Encodes an error of the transport instead of a reply; nothing is written to the memory of the peer. */
    void encodeError(ReceivedCall request, HeaderError error, int low, int high, Framing framing)
            throws RdmaException, MemoryRefusedException {
        takeSendBuffer(request, LocalSettings.MIN_SIZE);
        request.writes.clear();
        request.replyHeader
                .clear()
                .xid(request.header.xid())
                .credits(credits)
                .type(MessageType.ERROR)
                .direction(Direction.REPLY)
                .error(error)
                .versions(low, high);
        request.invalidate = false;
        request.sendLength =
                framing.encode(request.replyHeader, request.sendBuffer.view().clear(), 0);
    }

    /** Encodes the answer to the question of an optional operation. */
    void encodeOptional(ReceivedCall request, int type, ByteBuffer info, Framing framing)
            throws RdmaException, MemoryRefusedException {
        takeSendBuffer(request, LocalSettings.MIN_SIZE);
        request.writes.clear();
        request.replyHeader
                .clear()
                .xid(request.header.xid())
                .credits(credits)
                .type(MessageType.OPTIONAL)
                .direction(Direction.REPLY)
                .optionalType(type)
                .optionalInfo(info);
        request.invalidate = false;
        request.sendLength =
                framing.encode(request.replyHeader, request.sendBuffer.view().clear(), 0);
    }

    private void takeSendBuffer(ReceivedCall request, int length) throws RdmaException, MemoryRefusedException {
        if (request.sendBuffer != null && request.sendBuffer.view().capacity() < length) {
            pool.give(request.sendBuffer); // taken before the threshold grew
            request.sendBuffer = null;
        }
        if (request.sendBuffer == null) {
            request.sendBuffer = pool.take(length);
        }
    }

    /** The reply's header as the call asks for it. */
    private TransportHeader begin(ReceivedCall request) {
        request.writes.clear();
        TransportHeader call = request.header;
        TransportHeader reply = request.replyHeader.clear();
        reply.xid(call.xid()).credits(credits).direction(Direction.REPLY);
        WriteList offered = call.writeList();
        for (int i = 0; i < offered.size(); i++) {
            reply.writeList().add().copyFrom(offered.chunk(i));
        }
        reply.hasReplyChunk(call.hasReplyChunk());
        reply.replyChunk().copyFrom(call.replyChunk());
        chooseInvalidation(request, call);
        return reply;
    }

    private boolean placeItems(ReceivedCall request, List<DataItem> items)
            throws RdmaException, MemoryRefusedException {
        WriteList chunks = request.replyHeader.writeList();
        for (int i = 0; i < chunks.size(); i++) {
            SegmentList chunk = chunks.chunk(i);
            if (i < items.size() && isPlaced(request.header.writeList(), i)) {
                ByteBuffer data = items.get(i).data();
                if (data.remaining() > chunk.totalLength()) {
                    return false;
                }
                placeItem(request, data, chunk);
            } else {
                zero(chunk);
            }
        }
        return true;
    }

    /**
     * Whether a result goes into a chunk. A chunk without room stands for a result that the requester wants in the
     * stream (RFC 8267 section 5.4.1).
     *
     * @param offered the chunks of the call
     */
    private static boolean isPlaced(WriteList offered, int index) {
        return index < offered.size() && offered.chunk(index).totalLength() > 0;
    }

    private void placeItem(ReceivedCall request, ByteBuffer data, SegmentList chunk)
            throws RdmaException, MemoryRefusedException {
        int length = data.remaining();
        RegisteredBuffer piece = request.pieceOf(data);
        if (length == 0) {
            zero(chunk);
        } else if (piece != null) {
            request.writes.fill(chunk, piece.region(), data.position(), length);
        } else if (length <= copyLimit || (rdma.requiresDirectMemory() && !data.isDirect())) {
            RegisteredBuffer copy = request.take(length);
            copy.view().put(0, data, data.position(), length);
            request.writes.fill(chunk, copy.region(), 0, length);
        } else {
            MemoryRegion region = rdma.register(data, Access.LOCAL);
            request.hold(region);
            request.writes.fill(chunk, region, 0, length);
        }
    }

    private static void zero(SegmentList chunk) {
        for (int i = 0; i < chunk.size(); i++) {
            chunk.setLength(i, 0);
        }
    }

    private static int streamSize(XdrWriter head, XdrWriter results, List<DataItem> items, WriteList offered) {
        if (results == null) {
            return head.position();
        }
        long size = (long) head.position() + results.position();
        for (int i = 0; i < items.size(); i++) {
            if (!isPlaced(offered, i)) {
                size += XdrWriter.roundUp(items.get(i).data().remaining());
            }
        }
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    /**
     * Copies head and results to the memory that they are sent from, with the data items that no Write chunk takes in
     * place.
     */
    private static void copyStream(
            XdrWriter head, XdrWriter results, List<DataItem> items, WriteList offered, ByteBuffer out) {
        head.copyStream(0, head.position(), out);
        if (results == null) {
            return;
        }
        int from = 0;
        for (int i = 0; i < items.size(); i++) {
            if (isPlaced(offered, i)) {
                continue;
            }
            DataItem item = items.get(i);
            results.copyStream(from, item.position(), out);
            from = item.position();
            int length = item.data().remaining();
            out.put(out.position(), item.data(), item.data().position(), length);
            out.position(out.position() + length);
            for (int pad = XdrWriter.roundUp(length) - length; pad > 0; pad--) {
                out.put((byte) 0);
            }
        }
        results.copyStream(from, results.position(), out);
    }

    /**
     * Picks the steering tag that the Send invalidates: that of the call's largest segment, which costs the requester
     * most to invalidate itself.
     */
    private void chooseInvalidation(ReceivedCall request, TransportHeader call) {
        request.invalidate = false;
        if (!connection.settings().remoteInvalidation()) {
            return;
        }
        long largest = 0;
        ReadList reads = call.readList();
        for (int i = 0; i < reads.size(); i++) {
            largest = prefer(request, reads.handle(i), reads.length(i), largest);
        }
        for (int i = 0; i < call.writeList().size(); i++) {
            largest = prefer(request, call.writeList().chunk(i), largest);
        }
        if (call.hasReplyChunk()) {
            prefer(request, call.replyChunk(), largest);
        }
    }

    private static long prefer(ReceivedCall request, SegmentList chunk, long largest) {
        long best = largest;
        for (int i = 0; i < chunk.size(); i++) {
            best = prefer(request, chunk.handle(i), chunk.length(i), best);
        }
        return best;
    }

    private static long prefer(ReceivedCall request, int handle, long length, long largest) {
        if (length <= largest) {
            return largest;
        }
        request.invalidate = true;
        request.invalidateTag = handle;
        return length;
    }
}
