package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.OptionalConnection;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.runtime.Closing;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One RDMA connection: its states, its roles and its end. Either role, or both, may be present, on either end. {@link
 * InboundDispatcher} hands received messages to the roles; the roles post what they send themselves.
 *
 * <pre>
 * state      entered by                                 messages received
 * opened     postReceives                               dropped: no peer may send yet
 * ready      readyToCall; readyToAnswer, before accept  handed to the roles
 * ending     end, close                                 dropped
 * ended      the provider's onDisconnected              none come; the roles have been told
 * </pre>
 */
public final class Connection implements ConnectionHandler, OptionalConnection {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Is told of the end of a connection, on the receive thread of the connection. The roles know of the end by then,
     * and the peer can reach no memory any more.
     */
    public interface Owner {
        /**
         * @param cause why, or null after an orderly end
         */
        void connectionEnded(Connection connection, Exception cause);
    }

    private final long id;
    private final TransportContext context;
    private final RdmaProvider provider;
    private final TransportOptions options;
    private final Owner owner;
    private final Counters counters;
    private final VersionNegotiation version;
    private final ReceivedMessage message = new ReceivedMessage(this);

    private final InboundDispatcher inbound;
    private final OptionalExchange optional;
    private final ConnectionActivity activity;

    private RdmaConnection rdma;
    private ConnectionMemory memory;
    private final AtomicBoolean memoryIsGiven = new AtomicBoolean();
    private volatile ReplyReceiver calls;
    private volatile boolean negotiated;

    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private volatile boolean ready;
    private volatile boolean ending;
    private volatile boolean ended;
    private volatile Exception endCause;
    private volatile Thread receiveThread;

    public Connection(
            long id,
            TransportContext context,
            RdmaProvider provider,
            TransportOptions options,
            Owner owner,
            Counters counters) {
        this.id = id;
        this.context = context;
        this.provider = provider;
        this.options = options;
        this.owner = owner;
        this.counters = counters;
        this.version = new VersionNegotiation(context, options);
        this.inbound = new InboundDispatcher(this, version, counters);
        this.optional = new OptionalExchange(this);
        this.activity = new ConnectionActivity(context.runtime());
    }

    /** Takes the provider's connection. */
    public void opened(RdmaConnection verbs) {
        rdma = verbs;
        memory = new ConnectionMemory(context.memory(), verbs, id);
    }

    /** The memory of the connection, null before it has its verbs. */
    public ConnectionMemory memory() {
        return memory;
    }

    /** Since when the connection stands, and what has come by it. */
    public ConnectionActivity activity() {
        return activity;
    }

    /**
     * Posts receives, before connecting or accepting. Blocks for some seconds where there is no memory.
     *
     * @param most how many there will be at most
     */
    public void postReceives(int count, int most) throws RdmaException {
        int receiveSize = options.local().receiveSize();
        for (Framing each : context.services().framings(options)) {
            receiveSize = Math.max(receiveSize, each.defaultInlineThreshold());
        }
        memory.postReceives(count, most, receiveSize);
    }

    @Override
    public int sendSize() {
        ReplyReceiver calling = calls;
        int wanted = options.local().sendSize();
        return calling == null ? wanted : Math.min(wanted, calling.sendSize());
    }

    @Override
    public int receiveSize() {
        return memory.receiveSize();
    }

    /** Whether the receives are as long as the default inline threshold of a version. */
    public boolean canReceive(Framing wanted) {
        return wanted.defaultInlineThreshold() <= memory.receiveSize();
    }

    /** Connecting end: takes the negotiated settings, the version to begin with, and the role that answers. */
    public void offer(ConnectionSettings settled, Framing offered, CallReceiver answers) {
        version.settle(settled);
        version.offer(offered);
        inbound.responder(answers, false);
    }

    /** Connecting end, after {@link #offer}: takes the role that calls. From now on messages are dispatched. */
    public void readyToCall(ReplyReceiver calling) {
        calls(calling);
        ready = true;
    }

    /** Accepting end: takes the negotiated settings and the role that answers. From now on messages are dispatched. */
    public void readyToAnswer(ConnectionSettings settled, CallReceiver answers) {
        version.settle(settled);
        inbound.responder(answers, true);
        ready = true;
    }

    /**
     * Sets the role that makes the calls of this end: on an accepting end once there is a {@link #framing}. Where the
     * connection has ended meanwhile, the role gives its memory back at once.
     */
    public void calls(ReplyReceiver calling) {
        calls = calling;
        // asked behind the assignment: the thread that gives the memory back may not have seen the role
        if (memoryIsGiven.get()) {
            calling.giveMemory();
        }
    }

    /** Whether a negotiator was present when the connection was made. */
    public boolean isNegotiated() {
        return negotiated;
    }

    /** Begins the exchange of private data. */
    public PrivateDataExchange negotiation() {
        ConnectionNegotiator present = context.services().negotiator();
        negotiated = present != null;
        return new PrivateDataExchange(present, options.local(rdma), rdma.maxPrivateData());
    }

    /**
     * The version was settled by a message. Where its framing went at that moment, the thread that removes it may not
     * have found this connection among those of the version: then the connection ends, and the message is dropped.
     *
     * @return whether the connection goes on
     */
    public boolean hasFraming() {
        boolean present = context.services().has(version.framing());
        if (!present) {
            end(null);
        }
        return present;
    }

    /** A call that was sent by this connection was not answered in time. Any thread. */
    public void unanswered() {
        version.unanswered(rdma.remoteAddress());
    }

    public long id() {
        return id;
    }

    public TransportContext context() {
        return context;
    }

    public RdmaProvider provider() {
        return provider;
    }

    public TransportOptions options() {
        return options;
    }

    public Counters counters() {
        return counters;
    }

    public RdmaConnection rdma() {
        return rdma;
    }

    /** The settings that hold in the present version. */
    @Override
    public ConnectionSettings settings() {
        return version.settings();
    }

    @Override
    public void grow(int peerSendSize, int peerReceiveSize) {
        version.grow(Math.min(sendSize(), peerReceiveSize), Math.min(receiveSize(), peerSendSize));
        ReplyReceiver calling = calls;
        if (calling != null) {
            calling.settingsChanged();
        }
    }

    /** The version of this connection, and its settings. */
    public VersionNegotiation version() {
        return version;
    }

    /** The framing of the version, null on an accepting end before the first message. */
    public Framing framing() {
        return version.framing();
    }

    /** Why the connection speaks its version, for people to read. */
    public String versionChoice() {
        return version.reason();
    }

    /** The optional operations of this connection. */
    public OptionalExchange optional() {
        return optional;
    }

    /** The role that makes the calls of this end, null where it makes none. */
    public ReplyReceiver calls() {
        return calls;
    }

    /** The role that answers the calls of the other end, null before it is known. */
    public CallReceiver responder() {
        return inbound.responder();
    }

    public boolean isUsable() {
        return ready && !ending && !ended;
    }

    /** Whether the connection is about to end, or has ended. */
    public boolean isEnding() {
        return ending || ended;
    }

    /** Whether a call is under way in either direction. Only where the connection stands. */
    public boolean isBusy() {
        ReplyReceiver calling = calls;
        return responder().isBusy() || (calling != null && calling.isBusy());
    }

    /** Posts a receive buffer again. */
    public void repost(int index) {
        if (ending || ended) {
            return;
        }
        try {
            memory.post(index);
        } catch (RdmaException e) {
            end(e);
        } catch (Throwable e) {
            failUnexpectedly(e);
        }
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        if (receiveThread == null) {
            receiveThread = Thread.currentThread();
        }
        for (int i = 0; i < count; i++) {
            try {
                complete(completions[i]);
            } catch (Throwable e) { // one completion failed; the others are handled
                failUnexpectedly(e);
            }
        }
        activity.heard();
        if (ready) {
            inbound.responder().resume();
        }
    }

    /** Whether the caller is on the thread that receives. */
    public boolean isReceiveThread() {
        return Thread.currentThread() == receiveThread;
    }

    private void complete(Completion completion) {
        if (completion.operation() != Completion.Operation.RECEIVE) {
            if (completion.id() >= 0) { // the ids of calls are negative
                inbound.responder().onCompletion(completion);
            }
        } else if (completion.status() == Completion.Status.SUCCESS && !ending) {
            receive(completion);
        }
    }

    private void receive(Completion completion) {
        int index = (int) completion.id();
        counters.add(Counter.INLINE_RECEIVED_BYTES, completion.length());
        message.begin(
                index,
                memory.receiveBuffer(index),
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
            runEndStep(this::unanswered);
        }
        runEndStep(() -> version.ended(rdma.remoteAddress()));
        Exception why = endCause != null ? endCause : cause;
        ReplyReceiver calling = calls;
        if (calling != null) {
            runEndStep(calling::disconnected);
        }
        if (responder() != null) {
            runEndStep(() -> responder().disconnected(why));
        }
        runEndStep(this::giveMemory);
        runEndStep(() -> owner.connectionEnded(this, why));
        gone.complete(null);
    }

    /** Runs one step of the end. A throwable of one step must not prevent the others. */
    public void runEndStep(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            LOG.error("a step at the end of connection {} failed", id, e);
        }
    }

    /** Ends the connection because of an unexpected throwable; returns at once. */
    public void failUnexpectedly(Throwable thrown) {
        LOG.error("connection {} ends for what has failed", id, thrown);
        end(new TransportLostException("this end failed: " + thrown, thrown));
    }

    /** Ends the connection for a reason; returns at once. */
    public void end(Exception cause) {
        synchronized (this) {
            if (ending) {
                return;
            }
            endCause = cause;
            ending = true;
        }
        if (Thread.currentThread() == receiveThread || !context.workers().run(rdma::close)) {
            rdma.close();
        }
    }

    /**
     * Ends the connection. When this returns, its threads and memory are released, unless it is called on the receive
     * thread.
     */
    public void close() {
        ending = true;
        if (rdma == null) {
            return;
        }
        rdma.close();
        if (!activity.isEstablished()) {
            giveMemory(); // onDisconnected is not called
        } else if (Thread.currentThread() != receiveThread) {
            awaitEnd(); // another thread may have begun to close it
        }
    }

    /** Gives all memory back, as soon as no program reads it any more. The peer can reach none of it. */
    private void giveMemory() {
        if (!memoryIsGiven.compareAndSet(false, true)) {
            return;
        }
        ReplyReceiver calling = calls;
        if (calling != null) {
            calling.giveMemory();
        }
        ConnectionMemory held = memory;
        if (held != null) { // otherwise the provider never opened it
            held.give(responder());
        }
    }

    private void awaitEnd() {
        if (!Closing.awaitEnd(context.runtime(), gone, context.runtime().nanoTime() + CLOSE_NANOS)) {
            LOG.warn("connection {} to {} did not end in time", id, rdma.remoteAddress());
        }
    }

    /** Frees memory that was not used for a while. */
    public void trim() {
        if (ready) {
            responder().trim();
        }
    }
}
