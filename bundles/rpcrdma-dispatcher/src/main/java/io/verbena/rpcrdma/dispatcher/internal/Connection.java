package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One RDMA connection: receives messages and hands each to the role that it belongs to. Either role, or both, may be
 * there, on either end. What the roles send goes out by them directly.
 *
 * <pre>
 * state      entered by                               messages received
 * opened     postReceives                              dropped: no peer may send yet
 * ready      ready, on the accepting end before accept  handed to the roles
 * ending     end, close                                dropped
 * ended      the provider's onDisconnected             none come; the roles have been told
 * </pre>
 */
final class Connection implements ConnectionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final int CLOSE_SECONDS = 10;

    /** Told of the end, on the receive thread, when the roles know of it and no memory is in reach of the peer. */
    interface Owner {
        /**
         * @param cause why, or null after an orderly end
         */
        void connectionEnded(Connection connection, Exception cause);
    }

    private final long id;
    private final Environment environment;
    private final RdmaProvider provider;
    private final TransportOptions options;
    private final Owner owner;
    private final Counters counters;
    private final SpokenVersion version;
    private final ReceivedMessage message = new ReceivedMessage(this);

    private Requester requester;
    private Responder responder;
    private RdmaConnection rdma;
    private ReceiveBuffers receives;
    private SendBuffers sends;
    private ReplyReader replyReader;
    private ConnectionSettings settings;
    private volatile CallEncoder encoder;

    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile boolean ready;
    private volatile boolean established;
    private volatile boolean ending;
    private volatile boolean ended;
    private volatile Exception endCause;
    private volatile Thread receiveThread;

    Connection(
            long id,
            Environment environment,
            RdmaProvider provider,
            TransportOptions options,
            Owner owner,
            Counters counters) {
        this.id = id;
        this.environment = environment;
        this.provider = provider;
        this.options = options;
        this.owner = owner;
        this.counters = counters;
        this.version = new SpokenVersion(environment, options);
    }

    /** Takes the connection's verbs. */
    void verbs(RdmaConnection verbs) {
        rdma = verbs;
    }

    /** Posts the receives; before connecting or accepting. */
    void postReceives(int count) throws RdmaException {
        int receiveSize = options.local().receiveSize();
        for (Framing each : environment.services().framings(options)) {
            receiveSize = Math.max(receiveSize, each.defaultInlineThreshold());
        }
        receives = new ReceiveBuffers(rdma, count, receiveSize);
        receives.postAll();
    }

    /** The longest message that can be received. */
    int receiveSize() {
        return receives.size();
    }

    /** Whether the receives are as long as a version wants them. */
    boolean canReceive(Framing wanted) {
        return wanted.defaultInlineThreshold() <= receives.size();
    }

    /**
     * Says what was settled; from now on messages are taken.
     *
     * @param offered what a connecting end begins with, null on an accepting one
     */
    void ready(ConnectionSettings settled, Framing offered, Requester calls, Responder answers) throws RdmaException {
        settings = settled;
        requester = calls;
        responder = answers;
        if (calls != null) {
            version.offer(offered);
            sends = new SendBuffers(rdma, calls.requested(), settings().sendThreshold());
            replyReader = new ReplyReader(counters);
            encodeCalls();
        }
        ready = true;
    }

    private void encodeCalls() {
        encoder = new CallEncoder(
                rdma,
                version.forCalls(settings),
                framing(),
                requester.requested(),
                environment.tuning().maxSegment());
    }

    /** A reply came in the version that was offered: its thresholds hold from now on. Receive thread. */
    void versionAccepted() {
        if (version.accepted()) {
            encodeCalls();
        }
    }

    /**
     * The peer does not speak the version offered, but those. Receive thread.
     *
     * @return whether the connection goes on in one of them
     */
    boolean lowerVersion(int low, int high) {
        boolean lowered = version.lower(low, high, rdma.remoteAddress());
        if (lowered) {
            encodeCalls();
        }
        return lowered;
    }

    /** A call that was sent on this connection was never answered. Any thread. */
    void unanswered() {
        version.unanswered(rdma.remoteAddress());
    }

    /** The connection stands: its end will be told. */
    void established() {
        established = true;
    }

    long id() {
        return id;
    }

    Environment environment() {
        return environment;
    }

    RdmaProvider provider() {
        return provider;
    }

    TransportOptions options() {
        return options;
    }

    Counters counters() {
        return counters;
    }

    RdmaConnection rdma() {
        return rdma;
    }

    /** What holds in the present version. */
    ConnectionSettings settings() {
        return version.settings(settings);
    }

    /** The framing of this connection, null on an accepting end before the first message. */
    Framing framing() {
        return version.framing();
    }

    CallEncoder encoder() {
        return encoder;
    }

    ReplyReader replyReader() {
        return replyReader;
    }

    ByteBuffer sendBuffer(int index) {
        return sends.view(index);
    }

    ByteBuffer receiveBuffer(int index) {
        return receives.view(index);
    }

    boolean isUsable() {
        return ready && !ending && !ended;
    }

    /** Sends a call from the buffer of its slot. */
    void postCall(int slot, int length) {
        version.sending();
        try {
            // no completion is wanted: the reply tells, and an abandoned call keeps its buffer
            rdma.postSend(-1L - slot, sends.region(), sends.offset(slot), length, RdmaConnection.UNSIGNALED);
        } catch (RdmaException e) {
            end(e);
        }
    }

    /** Posts a receive buffer again. */
    void repost(int index) {
        if (ending || ended) {
            return;
        }
        try {
            receives.post(index);
        } catch (RdmaException e) {
            end(e);
        }
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        if (receiveThread == null) {
            receiveThread = Thread.currentThread();
        }
        for (int i = 0; i < count; i++) {
            Completion completion = completions[i];
            if (completion.operation() != Completion.Operation.RECEIVE) {
                if (responder != null && completion.id() >= 0) {
                    responder.onCompletion(completion);
                }
            } else if (completion.status() == Completion.Status.SUCCESS && !ending) {
                receive(completion);
            }
        }
    }

    private void receive(Completion completion) {
        int index = (int) completion.id();
        message.begin(
                index,
                receives.view(index),
                completion.length(),
                completion.invalidated(),
                completion.invalidatedTag());
        if (ready) {
            take(message);
        } else {
            counters.increment(Counter.DROPPED);
        }
        message.release();
    }

    private void take(ReceivedMessage received) {
        Framing codec = received.length() < FixedFields.LENGTH ? null : framingOf(received);
        if (codec == null) {
            dropUnlessInvalidating(received);
            return;
        }
        try {
            received.rpcOffset(codec.decode(received.buffer(), 0, received.length(), received.header()));
        } catch (HeaderException e) {
            refuse(received, e);
            return;
        }
        Router.Route route =
                Router.route(received.header(), received.buffer(), received.rpcOffset(), received.rpcLength());
        boolean answers = requester != null && (route == Router.Route.REPLY || route == Router.Route.ERROR);
        if (received.invalidated() && !(answers && ownsInvalidated(received))) {
            endForInvalidation(received);
        } else if (route == Router.Route.CALL) {
            responder.onCall(received);
        } else if (route == Router.Route.OPTIONAL) {
            responder.onOptional(received);
        } else if (!answers) {
            counters.increment(Counter.DROPPED);
        } else if (route == Router.Route.REPLY) {
            requester.onReply(this, received);
        } else {
            requester.onError(this, received);
        }
    }

    /** The framing to read a message with; on an accepting end that of the first message, for good. */
    private Framing framingOf(ReceivedMessage received) {
        Framing spoken = version.framing();
        if (spoken == null) {
            spoken = responder.framingOf(received);
            if (spoken != null) {
                version.take(spoken);
            }
        }
        return spoken;
    }

    private void refuse(ReceivedMessage received, HeaderException finding) {
        counters.increment(Counter.HEADER_ERRORS);
        if (received.invalidated()) {
            endForInvalidation(received);
        } else if (requester != null) {
            requester.onUnparsable(this, FixedFields.xid(received.buffer(), 0), received, finding);
        } else {
            responder.onUnparsable(received, finding);
        }
    }

    private void dropUnlessInvalidating(ReceivedMessage received) {
        counters.increment(Counter.DROPPED);
        if (received.invalidated()) {
            endForInvalidation(received);
        }
    }

    private boolean ownsInvalidated(ReceivedMessage received) {
        return requester.ownsTag(received.header().xid(), received.invalidatedTag());
    }

    /** The peer took memory away that it had no business with: what else it does cannot be trusted. */
    private void endForInvalidation(ReceivedMessage received) {
        end(new PeerProtocolException(
                "the peer invalidated steering tag " + ReplyReader.hex(received.invalidatedTag())
                        + " by a message that does not answer the call it belongs to (RFC 8797 4.1)",
                null));
    }

    @Override
    public void onDisconnected(RdmaException cause) {
        receiveThread = Thread.currentThread();
        ended = true;
        boolean closedHere = ending && endCause == null;
        if (!closedHere) {
            unanswered();
        }
        if (requester != null) {
            requester.detach(this);
        }
        if (responder != null) {
            responder.disconnected();
        }
        owner.connectionEnded(this, endCause != null ? endCause : cause);
        gone.countDown();
    }

    /** Ends the connection for a reason; returns at once. */
    void end(Exception cause) {
        synchronized (this) {
            if (ending) {
                return;
            }
            endCause = cause;
            ending = true;
        }
        if (Thread.currentThread() == receiveThread || !environment.workers().run(rdma::close)) {
            rdma.close();
        }
    }

    /** Ends the connection; when it returns nothing of it is left, unless called on its receive thread. */
    void close() {
        ending = true;
        if (rdma == null) {
            return;
        }
        rdma.close();
        if (established && Thread.currentThread() != receiveThread) {
            awaitEnd(); // somebody else may have been closing it already
        }
    }

    private void awaitEnd() {
        try {
            if (!gone.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the connection to {} did not end in time", rdma.remoteAddress());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Frees memory that was not needed lately. */
    void trim() {
        if (ready && responder != null) {
            responder.trim();
        }
    }
}
