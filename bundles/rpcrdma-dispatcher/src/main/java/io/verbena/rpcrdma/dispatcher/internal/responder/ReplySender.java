package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.Futures;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ConnectionPeer;
import io.verbena.rpcrdma.dispatcher.internal.connection.OfferedVersions;
import io.verbena.rpcrdma.dispatcher.internal.connection.ProgressWatchdog;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool;
import io.verbena.rpcrdma.dispatcher.internal.responder.ReceivedCall.State;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the answers of one responder: replies, errors, and the answers of optional operations. An answer for which
 * there is no memory is sent when memory is granted. A request is freed when its answer was sent, or with the
 * connection. Thread safe.
 */
final class ReplySender implements ReceivedCall.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(ReplySender.class);

    /** How long an answer waits for memory before its connection ends. */
    private static final Duration MEMORY_TIMEOUT = Duration.ofSeconds(30);

    private final Runtime runtime;
    private final Connection connection;
    private final ConnectionPeer peer;
    private final Counters counters;
    private final RegisteredPool pool;
    private final RequestTable requests;
    private final ReplyWriter writer;
    private final SendQueueSpace queue;
    private final ReplyMemoryWindow replies;
    private final ProgressWatchdog taking;
    private final Consumer<ReceivedCall> argumentsReleased;
    private final Runnable resume;

    /**
     * @param credits the credits that are granted to the peer
     * @param argumentsReleased told of each request that has given back its pulled memory
     * @param resume looks for calls that wait for room for their replies
     */
    ReplySender(
            Connection connection,
            ConnectionPeer peer,
            Counters counters,
            RegisteredPool pool,
            RequestTable requests,
            SendQueueSpace queue,
            ReplyMemoryWindow replies,
            int credits,
            Consumer<ReceivedCall> argumentsReleased,
            Runnable resume) {
        this.connection = connection;
        runtime = connection.context().runtime();
        this.peer = peer;
        this.counters = counters;
        this.pool = pool;
        this.requests = requests;
        this.queue = queue;
        this.replies = replies;
        this.argumentsReleased = argumentsReleased;
        this.resume = resume;
        writer = new ReplyWriter(connection, pool, credits, queue.maxCost() - 1);
        PeerBounds bounds = connection.context().bounds().get();
        taking = new ProgressWatchdog(
                connection, bounds.replyTimeout(), "has taken none of %d replies for %d ms (replyTimeout)");
    }

    @Override
    public RpcPeer peer() {
        return peer;
    }

    @Override
    public RegisteredPool pool() {
        return pool;
    }

    @Override
    public void answer(ReceivedCall request, XdrWriter results) {
        send(request, () -> {
            try {
                encode(request, results);
            } catch (RdmaException | MemoryRefusedException e) {
                throw e;
            } catch (Throwable e) { // the program handled the call, and the reply says that the system failed
                LOG.warn(
                        "connection {}: the reply to call {} of {} could not be encoded",
                        connection.id(),
                        Hex.of(request.header.xid()),
                        peer.remoteAddress(),
                        e);
                request.replyHead.reset();
                RpcMessages.writeAccepted(
                        request.replyHead, request.xid(), request.replyVerifier(), AcceptStatus.SYSTEM_ERR);
                encode(request, null);
            }
        });
    }

    private void encode(ReceivedCall request, XdrWriter results) throws RdmaException, MemoryRefusedException {
        if (!writer.encode(request, results, connection.framing())) {
            LOG.debug(
                    "connection {}: the reply to call {} of {} fits nowhere",
                    connection.id(),
                    Hex.of(request.header.xid()),
                    peer.remoteAddress());
            counters.increment(Counter.HEADER_ERRORS);
            writer.encodeError(request, HeaderError.BAD_HEADER, 0, 0, connection.framing());
        }
    }

    /** Sends the answer to the question of an optional operation. Receive thread. */
    void answerOptional(ReceivedCall request, int type, ByteBuffer info) {
        request.state.set(State.ANSWERING);
        send(request, () -> writer.encodeOptional(request, type, info, connection.framing()));
    }

    /** Writes an answer into a request's memory. */
    private interface Encoding {
        void run() throws RdmaException, MemoryRefusedException;
    }

    private void send(ReceivedCall request, Encoding encoding) {
        send(request, encoding, runtime.nanoTime() + MEMORY_TIMEOUT.toNanos());
    }

    /**
     * @param deadline for memory, on the runtime's clock
     */
    private void send(ReceivedCall request, Encoding encoding, long deadline) {
        try {
            encoding.run();
            send(request);
        } catch (MemoryRefusedException e) {
            sendLater(request, encoding, deadline, e);
        } catch (RdmaException e) {
            connection.end(e);
            free(request);
        } catch (Throwable e) { // no answer can be given, and the peer would wait for one
            connection.failUnexpectedly(e);
            if (request.state.get() == State.ANSWERING) {
                free(request); // otherwise it is freed with the connection
            }
        }
    }

    /** There is no memory for an answer now: the answer is sent when there is. Throws nothing. */
    private void sendLater(ReceivedCall request, Encoding encoding, long deadline, MemoryRefusedException refusal) {
        try {
            Duration left = Duration.ofNanos(Math.max(0, deadline - runtime.nanoTime()));
            Futures.whenDone(
                    connection.memory().share().request(refusal.bytes(), left),
                    (lease, thrown) -> {
                        if (thrown == null) {
                            lease.close(); // there is room: the answer takes what it needs
                        }
                        boolean goesOn = thrown == null
                                && connection.context().workers().handle(() -> send(request, encoding, deadline));
                        if (!goesOn) {
                            endUnanswered(request, refusal);
                        }
                    },
                    thrown -> endUnanswered(request, refusal));
        } catch (Throwable e) {
            refusal.addSuppressed(e);
            endUnanswered(request, refusal);
        }
    }

    /**
     * Ends the connection, since the peer would wait for the answer. By the next connection it sends the call again.
     */
    private void endUnanswered(ReceivedCall request, MemoryRefusedException refusal) {
        connection.end(TransportErrors.noMemory(refusal));
        if (request.state.get() == State.ANSWERING) {
            free(request); // only once, though this may be called again
        }
    }

    /** Answers a message with an error of the transport. Receive thread. */
    void refuse(ReceivedMessage received, HeaderError error) {
        ReceivedCall request = requests.take();
        if (request != null) {
            int version = FixedFields.version(received.buffer(), 0);
            request.begin(received);
            refuse(request, error, version);
        }
    }

    void refuse(ReceivedCall request, HeaderError error) {
        refuse(request, error, connection.framing().version());
    }

    /**
     * @param version the version of the message
     */
    private void refuse(ReceivedCall request, HeaderError error, int version) {
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
        OfferedVersions range = OfferedVersions.of(there, settled, version);
        send(request, () -> writer.encodeError(request, error, range.low(), range.high(), framing));
    }

    /** The framings that a peer may speak on this connection, lowest version first. */
    List<Framing> framings() {
        return connection.context().services().framings(connection.options()).stream()
                .filter(connection::canReceive)
                .toList();
    }

    private void send(ReceivedCall request) throws RdmaException {
        connection.repost(request.receiveIndex); // the peer may use the credit as soon as it has the reply
        if (request.writes.size() == 0) {
            request.releaseAnswer(); // all of it stands in the message itself, or is an error's
        }
        replies.encoded(request, request.answerOctets());
        if (requests.sending(request)) {
            counters.increment(Counter.REPLIES);
            countOctets(request);
            taking.begun(1);
            queue.submit(request, request.writes.size() + 1);
        } else {
            free(request);
        }
    }

    private void countOctets(ReceivedCall request) {
        long written = request.writes.octets();
        boolean isLong = request.replyHeader.type() == MessageType.NOMSG;
        long byReplyChunk = isLong ? request.replyHeader.replyChunk().totalLength() : 0;
        counters.add(Counter.INLINE_SENT_BYTES, request.sendLength);
        counters.add(Counter.RDMA_WRITE_BYTES, written);
        counters.add(Counter.REPLY_CHUNK_BYTES, byReplyChunk);
        counters.add(Counter.WRITE_CHUNK_BYTES, written - byReplyChunk);
    }

    /** Posts the reply of a request that is sending. */
    void post(ReceivedCall request, RdmaConnection rdma) throws RdmaException {
        request.writes.post(rdma, request.index);
        if (request.invalidate) {
            rdma.postSendWithInvalidate(
                    request.index, request.sendBuffer.region(), 0, request.sendLength, request.invalidateTag, 0);
        } else {
            rdma.postSend(request.index, request.sendBuffer.region(), 0, request.sendLength, 0);
        }
    }

    /** The Send of a reply is complete: the peer has taken the reply. Receive thread. */
    void sent(ReceivedCall request) {
        if (request.state.get() == State.SENDING) {
            taking.done();
            replies.sent(request);
            int cost = request.writes.size() + 1;
            free(request);
            queue.completed(cost);
        }
    }

    @Override
    public void drop(ReceivedCall request) {
        connection.repost(request.receiveIndex);
        free(request);
    }

    private void free(ReceivedCall request) {
        release(request);
        if (requests.give(request)) {
            request.releaseSendBuffer();
        }
        if (replies.anyWaits() && !connection.isReceiveThread()) {
            // the receive thread resumes by itself after its completions
            boolean taken = connection.context().workers().handle(resume);
            if (!taken) {
                resume.run();
            }
        }
    }

    /** Gives back all memory of a request but its send buffer. */
    void release(ReceivedCall request) {
        boolean pulled = request.pulled != null;
        request.releaseMemory();
        replies.released(request);
        if (pulled) {
            argumentsReleased.accept(request);
        }
    }

    /** The connection has ended: the peer is not expected to take replies any more. */
    void close() {
        taking.close();
    }
}
