package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.dispatcher.internal.Request.State;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the calls of one direction of one connection: pulls what their Read lists name, has a program handle them,
 * and sends its replies (RFC 8166 section 4). Without a program it answers that there is none.
 *
 * <p>What is wrong with a call, and what its sender is told:
 *
 * <pre>
 * rdma_vers of no framing that is there, or not of     ERR_VERS with the versions that are ({@link VersionRange})
 *   the one that the connection was begun with
 * a header that cannot be decoded; an XID other than   ERR_CHUNK
 *   the RPC message's; a Read list too long or without
 *   the Position Zero chunk of a long call; chunks where
 *   none are taken
 * a reply that fits nowhere                            ERR_CHUNK
 * an optional operation that is not known              ERR_INVAL_OPTION
 * an RPC header that cannot be decoded                 GARBAGE_ARGS
 * another RPC version, program, or program version     RPC_MISMATCH, PROG_UNAVAIL, PROG_MISMATCH
 * a credential of a flavor that nobody knows           AUTH_REJECTEDCRED
 * more calls at once than credits and margin allow     the connection ends
 * a call while the connection is about to end          nothing: it goes with the connection
 * </pre>
 */
final class Responder {
    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);
    private static final int ERROR_PROCEDURE = 4; // of every version (RFC 8166 section 7)

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Connection connection;
    private final RpcProgram program;
    private final Peer peer;
    private final boolean chunks;
    private final Counters counters;
    private final RegisteredPool pool;
    private final ReplyWriter writer;
    private final SendQueue queue;
    private final ArgumentPuller puller;
    private final int maxCallSize;
    private final Requests requests;

    /**
     * @param program null where calls are answered with {@code PROG_UNAVAIL}
     * @param chunks whether calls may have chunks; those that have are answered with ERR_CHUNK otherwise
     * @param credits what the peer is granted
     */
    Responder(
            Connection connection,
            RpcProgram program,
            Peer peer,
            boolean chunks,
            int credits,
            int maxCallSize,
            Counters counters) {
        this.connection = connection;
        this.program = program;
        this.peer = peer;
        this.chunks = chunks;
        this.counters = counters;
        this.maxCallSize = maxCallSize;
        Tuning tuning = connection.environment().tuning();
        requests = new Requests(this, 2 * credits + tuning.receiveMargin());
        pool = new RegisteredPool(connection.environment().memory(), connection.rdma(), tuning.poolIdle());
        queue = new SendQueue(this, tuning.workQueueDepth());
        puller = new ArgumentPuller(connection, pool, queue);
        writer = new ReplyWriter(connection, pool, credits, queue.maxCost() - 1);
    }

    RpcPeer peer() {
        return peer;
    }

    RegisteredPool pool() {
        return pool;
    }

    /** The framing of a first message, or null where the message has been dealt with. Receive thread. */
    Framing framingOf(ReceivedMessage received) {
        int version = FixedFields.version(received.buffer(), 0);
        for (Framing framing : framings()) {
            if (framing.version() == version) {
                return framing;
            }
        }
        if (FixedFields.procedure(received.buffer(), 0) != ERROR_PROCEDURE) {
            received.header().clear().xid(FixedFields.xid(received.buffer(), 0));
            refuse(received, HeaderError.VERSION);
        }
        return null;
    }

    private List<Framing> framings() {
        return connection.environment().services().framings(connection.options()).stream()
                .filter(connection::canReceive)
                .toList();
    }

    /** The peer asks for an optional operation (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1). Receive thread. */
    void onOptional(ReceivedMessage received) {
        Request request = requests.take();
        if (request == null) {
            refuseWithoutAnswer();
            return;
        }
        request.begin(received);
        int type = request.header.optionalType();
        ByteBuffer answer;
        try {
            answer = connection.optional().answer(type, request.header.optionalInfo());
        } catch (HeaderException e) {
            LOG.debug("{}: {}", peer.remoteAddress(), e.getMessage());
            refuse(request, e.error());
            return;
        }
        request.state.set(State.ANSWERING);
        send(request, () -> writer.encodeOptional(request, type, answer, connection.framing()));
    }

    /** What came is no header. Receive thread. */
    void onUnparsable(ReceivedMessage received, HeaderException finding) {
        LOG.debug("{} sent no header: {}", peer.remoteAddress(), finding.getMessage());
        if (finding.error() != HeaderError.NONE) {
            received.header().clear().xid(FixedFields.xid(received.buffer(), 0));
            refuse(received, finding.error());
        }
    }

    /** A call came. Receive thread. */
    void onCall(ReceivedMessage received) {
        Request request = requests.take();
        if (request == null) {
            refuseWithoutAnswer();
            return;
        }
        counters.increment(Counter.CALLS);
        request.begin(received);
        if (request.header.hasChunks()) {
            counters.increment(Counter.CHUNKED_CALLS);
        }
        long maxOctets = (long) maxCallSize - (request.length - request.rpcOffset);
        boolean usable = chunks || !request.header.hasChunks();
        if (!usable || !puller.plan(request, maxOctets)) {
            refuse(request, HeaderError.BAD_HEADER);
        } else if (request.plan.total() == 0) {
            handle(request);
        } else {
            puller.pull(request);
        }
    }

    private void refuseWithoutAnswer() {
        if (requests.isLeaving()) {
            counters.increment(Counter.DROPPED); // not executed, and sent again by the next connection
            return;
        }
        connection.end(new PeerProtocolException(
                peer.remoteAddress() + " sends more calls than it was granted credits for (RFC 8166 3.3.1)", null));
    }

    /** A send, write or read of ours is complete. Receive thread. */
    void onCompletion(Completion completion) {
        Request request = requests.get(completion.id());
        boolean done = completion.status() == Completion.Status.SUCCESS;
        switch (completion.operation()) {
            case RDMA_READ -> {
                if (done && puller.completed(request)) {
                    handle(request);
                }
            }
            case SEND -> {
                if (done && request.state.get() == State.SENDING) {
                    int cost = request.writes.size() + 1;
                    free(request);
                    queue.completed(cost);
                }
            }
            case RDMA_WRITE, RECEIVE -> {} // a write that fails ends the connection, which sees to everything
        }
    }

    private void handle(Request request) {
        boolean longCall = request.header.type() == MessageType.NOMSG;
        ByteBuffer memory = request.pulled == null ? NOTHING : request.pulled.view();
        ByteBuffer stream = longCall
                ? request.plan.stream(memory)
                : connection
                        .receiveBuffer(request.receiveIndex)
                        .limit(request.length)
                        .position(request.rpcOffset);
        int at = stream.position();
        if (stream.getInt(at) != request.header.xid()
                || stream.getInt(at + RpcMessages.TYPE_OFFSET) != RpcMessages.CALL) {
            refuse(request, HeaderError.BAD_HEADER);
            return;
        }
        XdrReader arguments = request.arguments().wrap(stream);
        request.plan.addItems(memory, longCall, arguments);
        request.state.set(State.HANDLING);
        try {
            dispatch(request, RpcMessages.readCall(arguments));
        } catch (XdrException e) {
            failOpen(request, AcceptStatus.GARBAGE_ARGS, e);
        } catch (Exception e) {
            failOpen(request, AcceptStatus.SYSTEM_ERR, e);
        }
    }

    private void dispatch(Request request, CallHeader call) throws Exception {
        request.call(call);
        if (call.rpcVersion() != RpcMessages.RPC_VERSION) {
            request.rejectRpcVersion();
        } else if (call.credential() instanceof Credential.Unknown) {
            request.reject(AuthStatus.AUTH_REJECTEDCRED);
        } else if (program == null || call.program() != program.program()) {
            request.fail(AcceptStatus.PROG_UNAVAIL);
        } else if (call.version() < program.lowVersion() || call.version() > program.highVersion()) {
            request.rejectProgramVersion(program.lowVersion(), program.highVersion());
        } else {
            program.handle(request);
        }
    }

    private void failOpen(Request request, AcceptStatus status, Exception cause) {
        if (status == AcceptStatus.SYSTEM_ERR) {
            LOG.warn(
                    "connection {}: call {} of {} failed",
                    connection.id(),
                    ReplyReader.hex(request.header.xid()),
                    peer.remoteAddress(),
                    cause);
        }
        if (request.isOpen()) {
            request.fail(status);
        }
    }

    /** Sends an answer: the request's reply head, and results where there are some. Any thread. */
    void answer(Request request, XdrWriter results) {
        send(request, () -> {
            if (!writer.encode(request, results, connection.framing())) {
                LOG.debug(
                        "connection {}: the reply to call {} of {} fits nowhere",
                        connection.id(),
                        ReplyReader.hex(request.header.xid()),
                        peer.remoteAddress());
                counters.increment(Counter.HEADER_ERRORS);
                writer.encodeError(request, HeaderError.BAD_HEADER, 0, 0, connection.framing());
            }
        });
    }

    /** Writes an answer into a request's memory. */
    private interface Encoding {
        void run() throws RdmaException;
    }

    private void send(Request request, Encoding encoding) {
        try {
            encoding.run();
            send(request);
        } catch (RdmaException e) {
            connection.end(e);
            free(request);
        }
    }

    /** Answers a message with a complaint. Receive thread. */
    private void refuse(ReceivedMessage received, HeaderError error) {
        Request request = requests.take();
        if (request != null) {
            int version = FixedFields.version(received.buffer(), 0);
            request.begin(received);
            refuse(request, error, version);
        }
    }

    private void refuse(Request request, HeaderError error) {
        refuse(request, error, connection.framing().version());
    }

    /**
     * @param version the version of the message
     */
    private void refuse(Request request, HeaderError error, int version) {
        counters.increment(Counter.HEADER_ERRORS);
        List<Framing> there = framings();
        Framing settled = connection.framing();
        Framing framing = settled != null || there.isEmpty() ? settled : there.get(0);
        request.state.set(State.ANSWERING);
        if (framing == null) {
            drop(request);
            connection.end(null); // no answer can be given, and the peer would wait for one
            return;
        }
        VersionRange range = VersionRange.of(there, settled, version);
        send(request, () -> writer.encodeError(request, error, range.low(), range.high(), framing));
    }

    private void send(Request request) throws RdmaException {
        connection.repost(request.receiveIndex); // the peer may use the credit as soon as it has the reply
        if (requests.sending(request)) {
            counters.increment(Counter.REPLIES);
            countOctets(request);
            queue.submit(request, request.writes.size() + 1);
        } else {
            free(request);
        }
    }

    private void countOctets(Request request) {
        long written = request.writes.octets();
        boolean isLong = request.replyHeader.type() == MessageType.NOMSG;
        long byReplyChunk = isLong ? request.replyHeader.replyChunk().totalLength() : 0;
        counters.add(Counter.INLINE_SENT_BYTES, request.sendLength);
        counters.add(Counter.RDMA_WRITE_BYTES, written);
        counters.add(Counter.REPLY_CHUNK_BYTES, byReplyChunk);
        counters.add(Counter.WRITE_CHUNK_BYTES, written - byReplyChunk);
    }

    /** Posts the reads of a request that is pulling, or the reply of one that is sending. */
    void post(Request request) {
        try {
            if (request.state.get() == State.PULLING) {
                puller.post(request, connection.rdma());
            } else {
                postReply(request, connection.rdma());
            }
        } catch (RdmaException e) {
            connection.end(e); // when it has ended the request is freed
        }
    }

    private void postReply(Request request, RdmaConnection rdma) throws RdmaException {
        request.writes.post(rdma, request.index);
        if (request.invalidate) {
            rdma.postSendWithInvalidate(
                    request.index, request.sendBuffer.region(), 0, request.sendLength, request.invalidateTag, 0);
        } else {
            rdma.postSend(request.index, request.sendBuffer.region(), 0, request.sendLength, 0);
        }
    }

    /** Gives no answer. Any thread. */
    void drop(Request request) {
        connection.repost(request.receiveIndex);
        free(request);
    }

    private void free(Request request) {
        release(request);
        requests.give(request);
    }

    private void release(Request request) {
        boolean pulled = request.pulled != null;
        request.releaseMemory();
        if (pulled) {
            puller.released(request);
        }
    }

    /** The connection has ended: frees what no program has, and tells. Receive thread. */
    void disconnected(Exception cause) {
        puller.close();
        requests.disconnect().forEach(this::release);
        pool.close();
        if (program != null) {
            tellProgram();
        }
        peer.ended(cause); // after the program, which will not try the same peer again now
    }

    /** A program's failure is its own: it must not keep the connection from ending. */
    private void tellProgram() {
        try {
            program.disconnected(peer);
        } catch (RuntimeException e) {
            LOG.warn("the program failed at the end of connection {} to {}", connection.id(), peer.remoteAddress(), e);
        }
    }

    /** Takes no call any more: the connection is about to end. What comes is as if it had come after that. Any thread. */
    void leave() {
        requests.leave();
    }

    /**
     * Waits until no call is being answered, or the connection has ended.
     *
     * @param deadline no longer than that, on the clock of {@link System#nanoTime}
     */
    void awaitIdle(long deadline) {
        requests.awaitIdle(deadline);
    }

    void trim() {
        pool.trim();
    }
}
