package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.OptionalConnection;
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
 * One RDMA connection: its memory to receive in, its life and its end. What is received goes to the roles by
 * {@link Inbound}; either role, or both, may be there, on either end. What the roles send goes out by them directly.
 *
 * <pre>
 * state      entered by                                 messages received
 * opened     postReceives                               dropped: no peer may send yet
 * ready      readyToCall; readyToAnswer, before accept  handed to the roles
 * ending     end, close                                 dropped
 * ended      the provider's onDisconnected              none come; the roles have been told
 * </pre>
 */
final class Connection implements ConnectionHandler, OptionalConnection {
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

    private final Inbound inbound;
    private final OptionalExchange optional;

    private RdmaConnection rdma;
    private ReceiveBuffers receives;
    private volatile CallPath calls;
    private volatile boolean negotiated;

    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile boolean ready;
    private volatile boolean established;
    private Runnable onceEstablished;
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
        this.inbound = new Inbound(this, version, counters);
        this.optional = new OptionalExchange(this);
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

    @Override
    public int sendSize() {
        CallPath path = calls;
        int wanted = options.local().sendSize();
        return path == null ? wanted : Math.min(wanted, path.sendSize());
    }

    @Override
    public int receiveSize() {
        return receives.size();
    }

    /** Whether the receives are as long as a version wants them. */
    boolean canReceive(Framing wanted) {
        return wanted.defaultInlineThreshold() <= receives.size();
    }

    /** The connecting end: what was settled, the version to begin with, both roles. From now on messages are taken. */
    void readyToCall(ConnectionSettings settled, Framing offered, Requester forward, Responder answers)
            throws RdmaException {
        version.settle(settled);
        version.offer(offered);
        inbound.responder(answers, false);
        openCalls(forward, true, counters);
        ready = true;
    }

    /** The accepting end: what was settled, and who answers. From now on messages are taken. */
    void readyToAnswer(ConnectionSettings settled, Responder answers) {
        version.settle(settled);
        inbound.responder(answers, true);
        ready = true;
    }

    /**
     * Has a requester's calls go by this connection: on an accepting end once there is a {@link #framing}.
     *
     * @param chunks whether they may have chunks
     * @param counts theirs
     */
    void openCalls(Requester requester, boolean chunks, Counters counts) throws RdmaException {
        calls = new CallPath(this, version, chunks, requester.requested(), counts);
        inbound.requester(requester);
    }

    /** Whether there was a negotiator when it was made. */
    boolean isNegotiated() {
        return negotiated;
    }

    /** Begins to tell the peer what this end can do. */
    Negotiation negotiation() {
        ConnectionNegotiator present = environment.services().negotiator();
        negotiated = present != null;
        return new Negotiation(present, options.local(rdma), rdma.maxPrivateData());
    }

    /**
     * The version was settled by a message. Where its framing has gone in just that moment, whoever waits for the
     * connections in that version may not have known that this is one: it ends, and that message is not acted upon.
     *
     * @return whether it goes on
     */
    boolean hasFraming() {
        boolean present = environment.services().has(version.framing());
        if (!present) {
            end(null);
        }
        return present;
    }

    /** A call that was sent on this connection was never answered. Any thread. */
    void unanswered() {
        version.unanswered(rdma.remoteAddress());
    }

    /** The connection stands: its end will be told, and memory may be opened to the peer. */
    void established() {
        Runnable waiting;
        synchronized (this) {
            established = true;
            waiting = onceEstablished;
            onceEstablished = null;
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    /**
     * Runs a task once the connection stands, at once where it does. Only one can wait. Messages may come before: the
     * peer may know of the connection earlier than the end that accepts it.
     */
    void onceEstablished(Runnable task) {
        synchronized (this) {
            if (!established) {
                onceEstablished = task;
                return;
            }
        }
        task.run();
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
    @Override
    public ConnectionSettings settings() {
        return version.settings();
    }

    @Override
    public void grow(int peerSendSize, int peerReceiveSize) {
        version.grow(Math.min(sendSize(), peerReceiveSize), Math.min(receiveSize(), peerSendSize));
        CallPath path = calls;
        if (path != null) {
            path.settingsChanged();
        }
    }

    /** The framing of this connection, null on an accepting end before the first message. */
    Framing framing() {
        return version.framing();
    }

    /** Why it is that version, for people to read. */
    String versionChoice() {
        return version.reason();
    }

    /** The optional operations of this connection. */
    OptionalExchange optional() {
        return optional;
    }

    /** The way of the calls of this end, null where it makes none. */
    CallPath calls() {
        return calls;
    }

    /** Who makes the calls of this end, null where nobody does. */
    Requester requester() {
        return inbound.requester();
    }

    /** Who answers the calls of the other end. */
    Responder responder() {
        return inbound.responder();
    }

    ByteBuffer receiveBuffer(int index) {
        return receives.view(index);
    }

    boolean isUsable() {
        return ready && !ending && !ended;
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
                if (completion.id() >= 0) { // below are those of calls
                    inbound.responder().onCompletion(completion);
                }
            } else if (completion.status() == Completion.Status.SUCCESS && !ending) {
                receive(completion);
            }
        }
    }

    private void receive(Completion completion) {
        int index = (int) completion.id();
        counters.add(Counter.INLINE_RECEIVED_BYTES, completion.length());
        message.begin(
                index,
                receives.view(index),
                completion.length(),
                completion.invalidated(),
                completion.invalidatedTag());
        if (ready) {
            inbound.take(message);
        } else {
            counters.increment(Counter.DROPPED);
        }
        message.release();
    }

    @Override
    public void onDisconnected(RdmaException cause) {
        receiveThread = Thread.currentThread();
        ended = true;
        boolean closedHere = ending && endCause == null;
        if (!closedHere) {
            unanswered();
        }
        version.ended(rdma.remoteAddress());
        Exception why = endCause != null ? endCause : cause;
        if (requester() != null) {
            requester().detach(this);
        }
        if (responder() != null) {
            responder().disconnected(why);
        }
        owner.connectionEnded(this, why);
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
                LOG.warn("connection {} to {} did not end in time", id, rdma.remoteAddress());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Frees memory that was not needed lately. */
    void trim() {
        if (ready) {
            responder().trim();
        }
    }
}
