package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.PostedReceives;
import io.verbena.rpcrdma.dispatcher.internal.connection.PrivateDataExchange;
import io.verbena.rpcrdma.dispatcher.internal.requester.ConnectionCalls;
import io.verbena.rpcrdma.dispatcher.internal.requester.Requester;
import io.verbena.rpcrdma.dispatcher.internal.responder.Responder;
import io.verbena.rpcrdma.dispatcher.internal.services.MissingProviderMessages;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.runtime.Closing;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections for a program, and answers their calls by it. */
public final class RpcServer implements RpcListener, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    /**
     * How long closing takes at most without the drain: a provider's listener ends in 30 s, then the connections, each
     * in 30 s, and ours is told of that in 10 s.
     */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(70);

    private static final byte[] NO_PRIVATE_DATA = {};
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RESUME_AGAIN = Duration.ofSeconds(1);
    private static final int INBOUND_READS = 1;
    private static final int OUTBOUND_READS = 32;

    private final TransportContext context;
    private final ListenOptions options;
    private final TransportOptions transport;
    private final RpcProgram program;
    private final Consumer<RpcServer> onClose;
    private final AdmittedConnections admitted;
    private final Runnable endPressure;
    private final Closing closing;

    @GuardedBy("this")
    private RdmaProvider provider;

    @GuardedBy("this")
    private RdmaListener listener;

    /** The listener that a thread closes at the moment; null where none does. */
    @GuardedBy("this")
    private RdmaListener leaving;

    @GuardedBy("this")
    private InetSocketAddress address;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Whether a refusal for want of a framing was logged: further ones are not, since refused peers try again and
     * again.
     */
    private final AtomicBoolean refusing = new AtomicBoolean();

    public RpcServer(TransportContext context, ListenOptions options, RpcProgram program, Consumer<RpcServer> onClose) {
        this.context = context;
        this.options = options;
        this.program = program;
        this.onClose = onClose;
        closing = new Closing(context.runtime());
        admitted = new AdmittedConnections(options.maxConnections());
        transport = TransportOptions.parse(options.transport());
        if (options.credits() < 1 || options.credits() > Requester.MAX_CALLS) {
            throw new IllegalArgumentException(
                    "a listener grants 1 to " + Requester.MAX_CALLS + " credits, not " + options.credits());
        }
        endPressure = context.memory().onPressure(admitted::giveBack);
    }

    /** Begins to listen with the services that are present, or come within that time. */
    public void listen(Duration timeout) throws IOException {
        listen(options.local(), context.runtime().nanoTime() + DurationConverter.of(timeout));
    }

    private void listen(InetSocketAddress local, long deadline) throws IOException {
        boolean settled = false;
        while (!settled) {
            long left = deadline - context.runtime().nanoTime();
            settled = listen(context.services().awaitForListening(transport, providerName(), left), local);
        }
    }

    /** Listens with a provider; false where the provider has gone meanwhile. */
    private boolean listen(RdmaProvider found, InetSocketAddress local) throws RdmaException {
        RdmaListener fresh = found.listen(local, transport.providerOptions(), request -> accept(found, request));
        boolean gone;
        synchronized (this) {
            // a provider that is present now is suspended after this block; one that is missing was suspended before
            gone = !context.services().has(found);
            if (!gone && !closed && listener == null) {
                provider = found;
                listener = fresh;
                address = fresh.localAddress();
                return true;
            }
        }
        fresh.close();
        if (gone) {
            endConnectionsOf(found);
        }
        return !gone;
    }

    /**
     * The provider to listen with. {@code auto} takes the provider in software: a peer that reaches an address by TCP
     * may speak iWARP, whereas a device needs a peer with a device of its kind.
     */
    private String providerName() {
        return isAuto() ? ProviderNames.SOFTWARE : transport.provider();
    }

    private boolean isAuto() {
        return transport.provider().equals(TransportOptions.AUTO);
    }

    @Override
    public Map<String, String> settings() {
        String reason = isAuto() ? "auto: serves every peer that speaks iWARP" : ProviderChoice.AS_ASKED;
        Map<String, String> all = new LinkedHashMap<>();
        all.put(ProviderChoice.PROVIDER, providerName());
        all.put(ProviderChoice.REASON, reason);
        return all;
    }

    @Override
    public synchronized InetSocketAddress localAddress() {
        return address;
    }

    private void accept(RdmaProvider by, ConnectionRequest request) {
        if (!program.admits(request.remoteAddress())) {
            LOG.debug("refused {}: it may not connect", request.remoteAddress());
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        if (context.services().framings(transport).isEmpty()) {
            // no message of the peer could be answered; the peer tries again
            refused(request);
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        refusing.set(false);
        Connection fresh =
                new Connection(context.ids().incrementAndGet(), context, by, transport, this, new Counters());
        if (!admitted.admit(fresh, request.remoteAddress())) {
            LOG.info("refused {}: {} connections are there already", request.remoteAddress(), admitted.size());
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        try {
            accept(fresh, request);
        } catch (Throwable e) {
            if (e instanceof RdmaException failure && failure.kind() == RdmaException.Kind.RESOURCES) {
                LOG.info("refused {}: {}", request.remoteAddress(), failure.getMessage());
            } else {
                LOG.debug("could not accept {}", request.remoteAddress(), e);
            }
            admitted.forget(fresh);
            fresh.close();
        }
    }

    private void refused(ConnectionRequest request) {
        String what = "refused {}: no version of RPC-over-RDMA is there at the moment";
        if (refusing.compareAndSet(false, true)) {
            LOG.info(what + "; others who try are not told of until there is one", request.remoteAddress());
        } else {
            LOG.debug(what, request.remoteAddress());
        }
    }

    private void accept(Connection fresh, ConnectionRequest request) throws RdmaException {
        RdmaConnection rdma = request.open(limits(), fresh);
        fresh.opened(rdma);
        fresh.postReceives(receives(), receives());
        PrivateDataExchange negotiation = fresh.negotiation();
        RdmaPeer peer = RdmaPeer.connecting(fresh, request.remoteAddress());
        fresh.readyToAnswer(
                negotiation.settle(request.privateData()),
                new Responder(fresh, program, peer, true, options.credits(), options.maxCallSize(), fresh.counters()));
        rdma.accept(negotiation.privateData(), ACCEPT_TIMEOUT);
        fresh.activity().established();
        context.listeners().tell();
    }

    private int receives() {
        return PostedReceives.of(options.credits(), context.limits());
    }

    private ConnectionOptions limits() {
        // reverse calls are posted without a completion, so that a provider may free their room late: twice the room
        int sends = context.limits().workQueueDepth() + 2 * context.limits().reverseCredits();
        return new ConnectionOptions(sends, receives(), OUTBOUND_READS, INBOUND_READS, transport.providerOptions());
    }

    /** The connections that have not ended. */
    public List<Connection> present() {
        return admitted.present();
    }

    @Override
    public void connectionEnded(Connection ended, Exception cause) {
        admitted.forget(ended);
        context.listeners().tell();
        if (cause != null) {
            LOG.info(
                    "connection {} from {} to {} ended: {}",
                    ended.id(),
                    Addresses.text(ended.rdma().remoteAddress()),
                    localAddress(),
                    cause.getMessage());
        }
    }

    /** Drains and ends the connections that a change of services affects, side by side. */
    public void replace(Predicate<Connection> affected, String reason) {
        long deadline = context.swaps().drainDeadline();
        context.workers()
                .together(present().stream()
                        .filter(affected)
                        .<Runnable>map(leaving -> () -> ServerDrain.run(leaving, reason, deadline))
                        .toList());
    }

    /** The provider goes: stops listening with it, and ends its connections. */
    public void suspend(RdmaProvider gone) {
        synchronized (this) {
            if (provider != gone) {
                return;
            }
            provider = null;
        }
        stopListening();
        endConnectionsOf(gone);
    }

    /** Closes the listener, also where another thread has begun to: when this returns, the listener is closed. */
    private void stopListening() {
        RdmaListener former;
        synchronized (this) {
            leaving = listener == null ? leaving : listener;
            listener = null;
            former = leaving;
        }
        if (former == null) {
            return;
        }
        former.close();
        synchronized (this) {
            leaving = leaving == former ? null : leaving; // it holds its provider
        }
    }

    private void endConnectionsOf(RdmaProvider gone) {
        replace(connection -> connection.provider() == gone, MissingProviderMessages.gone(gone));
    }

    /** A provider came: listens again at the same address, where listening was interrupted. May block. */
    public void resume(RdmaProvider come) {
        InetSocketAddress interrupted;
        if (!come.name().equals(providerName()) || !context.services().has(come)) {
            return;
        }
        synchronized (this) {
            if (closed || listener != null || address == null) {
                return; // without an address the first attempt to listen is still under way
            }
            interrupted = address;
        }
        try {
            if (!listen(come, interrupted)) {
                LOG.debug("the provider to listen at {} with has gone again", interrupted);
            }
        } catch (RdmaException e) {
            LOG.warn("cannot listen at {} again yet: {}", interrupted, e.getMessage());
            var unused =
                    context.workers().schedule(() -> context.workers().run(() -> resume(come)), RESUME_AGAIN.toNanos());
        }
    }

    public void addStatus(List<ConnectionStatus> all) {
        for (Connection connection : present()) {
            if (connection.isUsable()) {
                all.add(status(connection));
            }
        }
    }

    private ConnectionStatus status(Connection connection) {
        Map<String, String> settings = ConnectionReport.of(connection, false);
        settings.put("credits", Integer.toString(options.credits()));
        ConnectionCalls reverse = ConnectionCalls.of(connection);
        if (reverse != null) {
            settings.put("reverseCredits", Integer.toString(reverse.requester().limit()));
        }
        Map<String, Long> counts = connection.counters().snapshot();
        long registrations = connection.rdma().remoteRegions();
        counts.put("registrations", registrations);
        return new ConnectionStatus(
                connection.id(),
                "server",
                "connected",
                Addresses.text(localAddress()),
                settings.get("remote"),
                settings,
                counts,
                gauges(connection, registrations),
                Map.of());
    }

    private static Map<String, Long> gauges(Connection connection, long registrations) {
        ConnectionCalls reverse = ConnectionCalls.of(connection);
        Map<String, Long> gauges = reverse == null
                ? new LinkedHashMap<>(Map.of("registrations", registrations))
                : ConnectionReport.gauges(reverse.requester().gauges(), registrations);
        gauges.put("heldBytes", connection.responder().held());
        return gauges;
    }

    public void trim() {
        present().forEach(Connection::trim);
    }

    /**
     * Ends this server. When this returns, its threads and memory are released, also where another thread has begun to
     * close it; but not where a handler calls this on a thread of a connection.
     */
    @Override
    public void close() {
        if (!closing.run(this::end, this::isReceiveThread, context.swaps().drainDeadline() + CLOSE_NANOS)) {
            LOG.warn("the listener at {} was not closed in time by {}", localAddress(), closing.closer());
        }
    }

    private boolean isReceiveThread() {
        return present().stream().anyMatch(Connection::isReceiveThread);
    }

    private void end() {
        synchronized (this) {
            closed = true;
            admitted.close();
        }
        stopListening();
        long deadline = context.swaps().drainDeadline();
        context.workers()
                .together(present().stream()
                        .<Runnable>map(leaving -> () -> ServerDrain.run(leaving, deadline))
                        .toList());
        endPressure.run();
        onClose.accept(this);
    }
}
