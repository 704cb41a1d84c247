package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import io.verbena.rpcrdma.dispatcher.internal.RegisteredPool.Piece;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A received call from its arrival until its answer is sent, and all that it holds meanwhile. A responder uses the same
 * objects again and again.
 */
final class Request implements RpcRequest {
    /**
     * What a request is doing.
     *
     * <pre>
     * state      belongs to                       connection lost
     * FREE       the responder                    stays
     * PULLING    the receive thread               becomes FREE
     * HANDLING   the program                      stays: becomes FREE when it is answered
     * ANSWERING  the thread that answers          stays: becomes FREE when it would be sent
     * SENDING    the provider                     becomes FREE
     * </pre>
     */
    enum State {
        FREE,
        /** Its Read list is waiting to be, or being, pulled. */
        PULLING,
        /** The program has it. */
        HANDLING,
        /** A thread encodes the answer. */
        ANSWERING,
        /** The answer is posted, or waits for room in the send queue. */
        SENDING
    }

    /** The most octets of results whose memory is kept for the next request. */
    private static final int KEPT_RESULTS = 1 << 16;

    final int index;
    final AtomicReference<State> state = new AtomicReference<>(State.FREE);

    /** The call's transport header; its Write list and Reply chunk say where results go. */
    TransportHeader header = new TransportHeader();

    final TransportHeader replyHeader = new TransportHeader();
    final ReadPlan plan = new ReadPlan();
    final XdrWriter replyHead = new XdrWriter(64);
    final WriteOps writes = new WriteOps();
    private final IdentityHashMap<ByteBuffer, Piece> allocated = new IdentityHashMap<>(4); // by view
    final List<MemoryRegion> registered = new ArrayList<>(1);

    int receiveIndex;
    int rpcOffset;
    int length;
    Piece pulled;
    int readsLeft;
    Piece sendBuffer;
    int sendLength;
    int invalidateTag;
    boolean invalidate;

    private final Responder responder;
    private final XdrReader arguments = new XdrReader();
    private XdrWriter results = new XdrWriter();
    private CallHeader call;

    Request(Responder responder, int index) {
        this.responder = responder;
        this.index = index;
    }

    /** Takes over what was received. */
    void begin(ReceivedMessage received) {
        receiveIndex = received.index();
        rpcOffset = received.rpcOffset();
        length = received.length();
        header = received.exchangeHeader(header);
        if (results.position() > KEPT_RESULTS) {
            results = new XdrWriter();
        }
        results.reset();
        received.keep();
    }

    void call(CallHeader read) {
        call = read;
    }

    @Override
    public RpcPeer peer() {
        return responder.peer();
    }

    @Override
    public int xid() {
        return header.xid();
    }

    @Override
    public int version() {
        return call.version();
    }

    @Override
    public int procedure() {
        return call.procedure();
    }

    @Override
    public Credential credential() {
        return call.credential();
    }

    @Override
    public XdrReader arguments() {
        return arguments;
    }

    @Override
    public XdrWriter results() {
        return results;
    }

    @Override
    public ByteBuffer allocate(int bytes) {
        try {
            return take(bytes).view();
        } catch (RdmaException e) {
            // the connection is gone, and with it whoever would have read the answer: any memory serves
            return ByteBuffer.allocateDirect(bytes);
        }
    }

    @Override
    public long resultCapacity(int resultIndex) {
        WriteList list = header.writeList();
        return resultIndex < list.size() ? list.chunk(resultIndex).totalLength() : -1;
    }

    @Override
    public void reply() {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAccepted(replyHead, xid(), AcceptStatus.SUCCESS);
        responder.answer(this, results);
    }

    @Override
    public void fail(AcceptStatus status) {
        if (status == AcceptStatus.SUCCESS || status == AcceptStatus.PROG_MISMATCH) {
            throw new IllegalArgumentException(status + " is no way to fail");
        }
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAccepted(replyHead, xid(), status);
        responder.answer(this, null);
    }

    @Override
    public void reject(AuthStatus status) {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAuthError(replyHead, xid(), status);
        responder.answer(this, null);
    }

    @Override
    public void drop() {
        startAnswer();
        responder.drop(this);
    }

    /** Answers a call of another RPC version. */
    void rejectRpcVersion() {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeRpcMismatch(replyHead, xid());
        responder.answer(this, null);
    }

    /** Answers a call of a version of the program that is not there. */
    void rejectProgramVersion(int low, int high) {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeProgramMismatch(replyHead, xid(), low, high);
        responder.answer(this, null);
    }

    /** Whether nobody has answered yet. */
    boolean isOpen() {
        return state.get() == State.HANDLING;
    }

    private void startAnswer() {
        if (!state.compareAndSet(State.HANDLING, State.ANSWERING)) {
            throw new IllegalStateException("the request has been answered already");
        }
    }

    /** Memory to send from, which the request holds until it is free again. */
    Piece take(int bytes) throws RdmaException {
        Piece piece = responder.pool().take(bytes);
        allocated.put(piece.view(), piece);
        return piece;
    }

    /** The piece that a buffer of {@link #allocate} is the view of, or null for memory of somebody else's. */
    Piece pieceOf(ByteBuffer data) {
        return allocated.get(data);
    }

    /** Gives back all memory but the send buffer. No posted work names it any more. */
    void releaseMemory() {
        RegisteredPool pool = responder.pool();
        if (pulled != null) {
            pool.give(pulled);
            pulled = null;
        }
        if (!allocated.isEmpty()) {
            allocated.values().forEach(pool::give);
            allocated.clear();
        }
        for (int i = 0; i < registered.size(); i++) {
            registered.get(i).invalidate();
        }
        registered.clear();
    }
}
