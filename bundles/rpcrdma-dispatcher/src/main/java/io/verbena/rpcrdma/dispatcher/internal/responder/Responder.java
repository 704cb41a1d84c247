package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.CallReceiver;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ConnectionPeer;
import io.verbena.rpcrdma.dispatcher.internal.connection.OfferedVersions;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool;
import io.verbena.rpcrdma.dispatcher.internal.responder.ReceivedCall.State;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the calls of one direction of one connection: pulls their Read chunks, has a program handle them, and has
 * {@link ReplySender} answer (RFC 8166 section 4). Without a program every call is answered with {@code PROG_UNAVAIL}.
 *
 * <p>Faults of a call, and their answers:
 *
 * <pre>
 * rdma_vers of no framing that is there, or not of     ERR_VERS with the versions that are ({@link OfferedVersions})
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
public final class Responder implements CallReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);
    private static final int ERROR_PROCEDURE = 4; // of every version (RFC 8166 section 7)

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Connection connection;
    private final RpcProgram program;
    private final ConnectionPeer peer;
    private final boolean chunks;
    private final Counters counters;
    private final RegisteredPool pool;
    private final SendQueueSpace queue;
    private final ReadChunkFetcher puller;
    private final ReplyMemoryWindow replies;
    private final ReplySender sender;
    private final int maxCallSize;
    private final RequestTable requests;

    /**
     * @param program null where calls are answered with {@code PROG_UNAVAIL}
     * @param chunks whether calls may have chunks; otherwise those that have are answered with ERR_CHUNK
     * @param credits the credits that are granted to the peer
     */
    public Responder(
            Connection connection,
            RpcProgram program,
            ConnectionPeer peer,
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
        TransportLimits limits = connection.context().limits();
        requests = new RequestTable(
                this::newRequest,
                2 * credits + limits.receiveMargin(),
                connection.context().runtime());
        pool = new RegisteredPool(connection.memory().share(), connection.rdma(), limits.poolIdle());
        queue = new SendQueueSpace(this::post, limits.workQueueDepth());
        puller = new ReadChunkFetcher(connection, pool, queue, this::cannotServe);
        PeerBounds bounds = connection.context().bounds().get();
        replies = new ReplyMemoryWindow(bounds.firstOctets(), bounds.replyOctets());
        sender = new ReplySender(
                connection, peer, counters, pool, requests, queue, replies, credits, puller::released, this::resume);
    }

    private ReceivedCall newRequest(int index) {
        return new ReceivedCall(sender, index);
    }

    @Override
    public Framing framingOf(ReceivedMessage received) {
        int version = FixedFields.version(received.buffer(), 0);
        for (Framing framing : sender.framings()) {
            if (framing.version() == version) {
                return framing;
            }
        }
        if (FixedFields.procedure(received.buffer(), 0) != ERROR_PROCEDURE) {
            received.header().clear().xid(FixedFields.xid(received.buffer(), 0));
            sender.refuse(received, HeaderError.VERSION);
        }
        return null;
    }

    @Override
    public void onOptional(ReceivedMessage received) {
        ReceivedCall request = requests.take();
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
            sender.refuse(request, e.error());
            return;
        }
        sender.answerOptional(request, type, answer);
    }

    @Override
    public void onUnparsable(ReceivedMessage received, HeaderException finding) {
        LOG.debug("{} sent no header: {}", peer.remoteAddress(), finding.getMessage());
        if (finding.error() != HeaderError.NONE) {
            received.header().clear().xid(FixedFields.xid(received.buffer(), 0));
            sender.refuse(received, finding.error());
        }
    }

    @Override
    public void onCall(ReceivedMessage received) {
        ReceivedCall request = requests.take();
        if (request == null) {
            refuseWithoutAnswer();
            return;
        }
        counters.increment(Counter.CALLS);
        try {
            request.begin(received);
            take(request);
        } catch (Throwable e) {
            cannotServe(request, e);
        }
    }

    private void take(ReceivedCall request) {
        if (request.header.hasChunks()) {
            counters.increment(Counter.CHUNKED_CALLS);
        }
        long maxOctets = (long) maxCallSize - (request.length - request.rpcOffset);
        boolean usable = chunks || !request.header.hasChunks();
        if (!usable || !puller.plan(request, maxOctets)) {
            sender.refuse(request, HeaderError.BAD_HEADER);
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

    @Override
    public void onCompletion(Completion completion) {
        ReceivedCall request = requests.get(completion.id());
        boolean done = completion.status() == Completion.Status.SUCCESS;
        switch (completion.operation()) {
            case RDMA_READ -> {
                if (done && puller.completed(request)) {
                    serve(request);
                }
            }
            case SEND -> {
                if (done) {
                    sender.sent(request);
                }
            }
            case RDMA_WRITE, RECEIVE -> {} // an RDMA Write that fails ends the connection, which frees all requests
        }
    }

    private void serve(ReceivedCall request) {
        try {
            handle(request);
        } catch (Throwable e) {
            cannotServe(request, e);
        }
    }

    /** Answers a call with SYSTEM_ERR that no program has yet, and of which nothing is posted. */
    private void cannotServe(ReceivedCall request, Throwable why) {
        if (requests.handling(request)) { // otherwise it was freed with the connection
            failOpen(request, AcceptStatus.SYSTEM_ERR, why);
        }
    }

    /** Hands a call to the program, now or when there is room for its reply. Receive thread. */
    private void handle(ReceivedCall request) {
        if (replies.admit(request)) {
            begin(request);
        } else {
            counters.increment(Counter.POSTPONED);
        }
    }

    @Override
    public void resume() {
        if (!replies.anyWaits()) {
            return;
        }
        for (ReceivedCall next = replies.next(); next != null; next = replies.next()) {
            if (requests.handling(next)) {
                resume(next);
            }
        }
    }

    private void resume(ReceivedCall request) {
        try {
            begin(request);
        } catch (Throwable e) {
            cannotServe(request, e);
        }
    }

    private void begin(ReceivedCall request) {
        boolean longCall = request.header.type() == MessageType.NOMSG;
        ByteBuffer memory = request.pulled == null ? NOTHING : request.pulled.view();
        ByteBuffer stream = longCall
                ? request.plan.stream(memory)
                : connection
                        .memory()
                        .receiveBuffer(request.receiveIndex)
                        .limit(request.length)
                        .position(request.rpcOffset);
        int at = stream.position();
        if (stream.getInt(at) != request.header.xid()
                || stream.getInt(at + RpcMessages.TYPE_OFFSET) != RpcMessages.CALL) {
            sender.refuse(request, HeaderError.BAD_HEADER);
            return;
        }
        XdrReader arguments = request.arguments().wrap(stream);
        request.plan.addItems(memory, longCall, arguments);
        request.state.set(State.HANDLING);
        try {
            CallHeader call = RpcMessages.readCall(arguments);
            request.call(call, stream, at);
            dispatch(request, call);
        } catch (XdrException e) {
            failOpen(request, AcceptStatus.GARBAGE_ARGS, e);
        } catch (Throwable e) {
            failOpen(request, AcceptStatus.SYSTEM_ERR, e);
        }
    }

    private void dispatch(ReceivedCall request, CallHeader call) throws Exception {
        if (call.rpcVersion() != RpcMessages.RPC_VERSION) {
            request.rejectRpcVersion();
        } else if (call.credential() instanceof Credential.Other other && !takes(other.flavor())) {
            request.reject(AuthStatus.AUTH_REJECTEDCRED);
        } else if (program == null || call.program() != program.program()) {
            request.fail(AcceptStatus.PROG_UNAVAIL);
        } else if (call.version() < program.lowVersion() || call.version() > program.highVersion()) {
            request.rejectProgramVersion(program.lowVersion(), program.highVersion());
        } else {
            program.handle(request);
        }
    }

    private boolean takes(int flavor) {
        return program != null && program.takesFlavor(flavor);
    }

    private void failOpen(ReceivedCall request, AcceptStatus status, Throwable cause) {
        if (status == AcceptStatus.SYSTEM_ERR) {
            LOG.warn(
                    "connection {}: call {} of {} failed",
                    connection.id(),
                    Hex.of(request.header.xid()),
                    peer.remoteAddress(),
                    cause);
        }
        if (request.isOpen()) {
            request.fail(status);
        }
    }

    /** Posts the reads of a request that is pulling, or the reply of one that is sending. */
    private void post(ReceivedCall request) {
        try {
            if (request.state.get() == State.PULLING) {
                puller.post(request, connection.rdma());
            } else {
                sender.post(request, connection.rdma());
            }
        } catch (RdmaException e) {
            connection.end(e); // the end of the connection frees the request
        } catch (Throwable e) { // the work may or may not be posted
            if (!requests.isDisconnected()) { // otherwise the end of the connection has freed the request
                connection.failUnexpectedly(e);
            }
        }
    }

    @Override
    public void disconnected(Exception cause) {
        giveMemory();
        if (program != null) {
            tellProgram();
        }
        peer.ended(cause); // after the program was told, which so does not call the same peer again
    }

    /** Gives back the memory that no program has. The peer can reach none of it. */
    private void giveMemory() {
        puller.close();
        sender.close();
        replies.close();
        for (ReceivedCall left : requests.disconnect()) {
            connection.runEndStep(() -> sender.release(left));
            connection.runEndStep(left::releaseSendBuffer);
        }
        connection.runEndStep(pool::close);
    }

    @Override
    public void giveMemory(Runnable onceIdle) {
        giveMemory();
        requests.onceIdle(onceIdle);
    }

    /** Tells the program of the end. A failure of the program must not prevent the end of the connection. */
    private void tellProgram() {
        try {
            program.disconnected(peer);
        } catch (Throwable e) {
            LOG.warn("the program failed at the end of connection {} to {}", connection.id(), peer.remoteAddress(), e);
        }
    }

    @Override
    public void leave() {
        requests.leave();
    }

    @Override
    public void awaitIdle(long deadline) {
        requests.awaitIdle(deadline);
    }

    @Override
    public boolean isBusy() {
        return requests.anyAtWork();
    }

    @Override
    public long held() {
        return puller.held() + replies.held();
    }

    @Override
    public void trim() {
        pool.trim();
    }
}
