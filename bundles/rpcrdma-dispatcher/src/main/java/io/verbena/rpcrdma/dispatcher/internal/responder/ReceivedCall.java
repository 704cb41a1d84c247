package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool.RegisteredBuffer;
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
 * A received call from its arrival until its answer is sent, and the memory that it holds meanwhile. A responder reuses
 * the objects.
 */
final class ReceivedCall implements RpcRequest {
    /**
     * The state of a request.
     *
     * <pre>
     * state      belongs to                       connection lost
     * FREE       the responder                    stays
     * PULLING    the receive thread               becomes FREE
     * POSTPONED  the responder                    becomes FREE
     * HANDLING   the program                      stays: becomes FREE when it is answered
     * ANSWERING  the thread that answers          stays: becomes FREE when it would be sent
     * SENDING    the provider                     becomes FREE
     * </pre>
     */
    enum State {
        FREE,
        /** Its Read list waits to be pulled, or is being pulled. */
        PULLING,
        /** It waits for room for its reply. */
        POSTPONED,
        /** The program has it. */
        HANDLING,
        /** A thread encodes the answer. */
        ANSWERING,
        /** The answer is posted, or waits for room in the send queue. */
        SENDING
    }

    /** The responder of a request, as the request sees it. Any thread. */
    interface Owner {
        /** The peer whose calls are answered. */
        RpcPeer peer();

        /** The memory that answers are sent from. */
        RegisteredPool pool();

        /** Sends an answer: the reply head of the request, and results where there are some. */
        void answer(ReceivedCall request, XdrWriter results);

        /** Frees a request without an answer. */
        void drop(ReceivedCall request);
    }

    /**
     * The most octets of results whose memory is kept for the next request. A connection has two such objects for each
     * credit, as long as it stands, and no budget counts them.
     */
    private static final int KEPT_RESULTS = 1 << 10;

    final int index;
    final AtomicReference<State> state = new AtomicReference<>(State.FREE);

    /** The call's transport header; its Write list and Reply chunk say where results go. */
    TransportHeader header = new TransportHeader();

    final TransportHeader replyHeader = new TransportHeader();
    final ReadPlan plan = new ReadPlan();
    final XdrWriter replyHead = new XdrWriter(64);
    final WriteChunkFiller writes = new WriteChunkFiller();
    private final IdentityHashMap<ByteBuffer, RegisteredBuffer> allocated = new IdentityHashMap<>(4); // by view
    private final List<MemoryRegion> registered = new ArrayList<>(1);
    private long answerOctets;

    int receiveIndex;
    int rpcOffset;
    int length;
    RegisteredBuffer pulled;
    int readsLeft;
    RegisteredBuffer sendBuffer;
    int sendLength;
    int invalidateTag;
    boolean invalidate;

    /** The octets that the reply holds or may hold, as {@link ReplyMemoryWindow} counts them. */
    long replyOctets;

    private final Owner owner;
    private final XdrReader arguments = new XdrReader();
    private XdrWriter results = new XdrWriter();
    private CallHeader call;
    private ByteBuffer stream;
    private int streamStart;
    private OpaqueAuth replyVerifier = OpaqueAuth.NONE;

    ReceivedCall(Owner owner, int index) {
        this.owner = owner;
        this.index = index;
    }

    /** Takes over a received message. */
    void begin(ReceivedMessage received) {
        receiveIndex = received.index();
        rpcOffset = received.rpcOffset();
        length = received.length();
        header = received.exchangeHeader(header);
        results.reset();
        received.keep();
    }

    /**
     * @param message the stream of the call, valid until it is answered
     * @param start where the RPC message begins in it
     */
    void call(CallHeader read, ByteBuffer message, int start) {
        call = read;
        stream = message;
        streamStart = start;
        replyVerifier = OpaqueAuth.NONE;
    }

    @Override
    public RpcPeer peer() {
        return owner.peer();
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
    public ByteBuffer signedHeader() {
        return stream.slice(streamStart, call.signedOctets());
    }

    @Override
    public OpaqueAuth verifier() {
        return call.verifier();
    }

    @Override
    public void setVerifier(OpaqueAuth verifier) {
        replyVerifier = verifier;
    }

    OpaqueAuth replyVerifier() {
        return replyVerifier;
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
    public ByteBuffer allocate(int bytes) throws MemoryRefusedException {
        try {
            return take(bytes).view();
        } catch (RdmaException e) {
            throw new MemoryRefusedException(
                    "no memory for an answer of " + bytes + " octets: " + e.getMessage(), bytes);
        }
    }

    @Override
    public long resultCapacity(int resultIndex) {
        WriteList list = header.writeList();
        long length = resultIndex < list.size() ? list.chunk(resultIndex).totalLength() : 0;
        return length > 0 ? length : -1; // an empty chunk asks for the result in the stream (RFC 8267 section 5.4.1)
    }

    @Override
    public void reply() {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAccepted(replyHead, xid(), replyVerifier, AcceptStatus.SUCCESS);
        owner.answer(this, results);
    }

    @Override
    public void fail(AcceptStatus status) {
        if (status == AcceptStatus.SUCCESS || status == AcceptStatus.PROG_MISMATCH) {
            throw new IllegalArgumentException(status + " is no way to fail");
        }
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAccepted(replyHead, xid(), replyVerifier, status);
        owner.answer(this, null);
    }

    @Override
    public void reject(AuthStatus status) {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeAuthError(replyHead, xid(), status);
        owner.answer(this, null);
    }

    @Override
    public void drop() {
        startAnswer();
        owner.drop(this);
    }

    /** Answers a call of another RPC version. */
    void rejectRpcVersion() {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeRpcMismatch(replyHead, xid());
        owner.answer(this, null);
    }

    /** Answers a call of a version of the program that is not there. */
    void rejectProgramVersion(int low, int high) {
        startAnswer();
        replyHead.reset();
        RpcMessages.writeProgramMismatch(replyHead, xid(), low, high);
        owner.answer(this, null);
    }

    /** Whether the request has not been answered yet. */
    boolean isOpen() {
        return state.get() == State.HANDLING;
    }

    private void startAnswer() {
        if (!state.compareAndSet(State.HANDLING, State.ANSWERING)) {
            throw new IllegalStateException("the request has been answered already");
        }
    }

    /** Takes memory to send from, which the request holds until it is free again. */
    RegisteredBuffer take(int bytes) throws RdmaException, MemoryRefusedException {
        RegisteredBuffer piece = owner.pool().take(bytes);
        allocated.put(piece.view(), piece);
        answerOctets += piece.octets();
        return piece;
    }

    /** The pooled buffer that a buffer of {@link #allocate} is the view of, or null for other memory. */
    RegisteredBuffer pieceOf(ByteBuffer data) {
        return allocated.get(data);
    }

    /** Holds memory of the program registered until the request is free again. */
    void hold(MemoryRegion region) {
        registered.add(region);
        answerOctets += region.length();
    }

    /** The octets that the answer is sent from, without the send buffer. */
    long answerOctets() {
        return answerOctets;
    }

    /** Gives back the memory of the answer. No posted work names it, nor will any. */
    void releaseAnswer() {
        if (!allocated.isEmpty()) {
            allocated.values().forEach(owner.pool()::give);
            allocated.clear();
        }
        for (int i = 0; i < registered.size(); i++) {
            registered.get(i).invalidate();
        }
        registered.clear();
        if (results.position() > KEPT_RESULTS) { // now, since this object may be used again much later
            results = new XdrWriter();
        }
        answerOctets = 0;
    }

    /** Gives back all memory but the send buffer. No posted work names it any more. */
    void releaseMemory() {
        if (pulled != null) {
            owner.pool().give(pulled);
            pulled = null;
        }
        releaseAnswer();
    }

    /** Gives the send buffer back. The connection has ended. */
    void releaseSendBuffer() {
        if (sendBuffer != null) {
            owner.pool().give(sendBuffer);
            sendBuffer = null;
        }
    }
}
