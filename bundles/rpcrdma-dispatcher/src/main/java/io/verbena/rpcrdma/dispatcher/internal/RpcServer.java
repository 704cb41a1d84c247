package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.ConnectionStatus;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections for a program. */
final class RpcServer implements RpcListener, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    private static final byte[] NO_PRIVATE_DATA = {};
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RESUME_AGAIN = Duration.ofSeconds(1);
    private static final int INBOUND_READS = 1;
    private static final int OUTBOUND_READS = 32;

    private final Environment environment;
    private final ListenOptions options;
    private final TransportOptions transport;
    private final RpcProgram program;
    private final Consumer<RpcServer> onClose;
    private final Map<Long, Connection> connections = new TreeMap<>();

    private RdmaProvider provider;
    private RdmaListener listener;
    private InetSocketAddress address;
    private boolean closed;

    /** Whether it was told that nobody is let in: those who try again and again are not told of. */
    private final AtomicBoolean refusing = new AtomicBoolean();

    RpcServer(Environment environment, ListenOptions options, RpcProgram program, Consumer<RpcServer> onClose) {
        this.environment = environment;
        this.options = options;
        this.program = program;
        this.onClose = onClose;
        transport = TransportOptions.parse(options.transport());
        if (options.credits() < 1 || options.credits() > Requester.MAX_CALLS) {
            throw new IllegalArgumentException(
                    "a listener grants 1 to " + Requester.MAX_CALLS + " credits, not " + options.credits());
        }
    }

    /** Begins to listen, with the services that are there or come within that time. */
    void listen(Duration timeout) throws IOException {
        listen(options.local(), System.nanoTime() + Nanos.of(timeout));
    }

    private void listen(InetSocketAddress local, long deadline) throws IOException {
        boolean settled = false;
        while (!settled) {
            long left = deadline - System.nanoTime();
            settled = listen(environment.services().awaitForListening(transport, providerName(), left), local);
        }
    }

    /** Listens with a provider; false where that has gone meanwhile. */
    private boolean listen(RdmaProvider found, InetSocketAddress local) throws RdmaException {
        RdmaListener fresh = found.listen(local, transport.providerOptions(), request -> accept(found, request));
        boolean gone;
        synchronized (this) {
            // a provider that is there now will be suspended after this, one that is not was before
            gone = !environment.services().has(found);
            if (!gone && !closed && listener == null) {
                provider = found;
                listener = fresh;
                address = fresh.localAddress();
                return true;
            }
        }
        fresh.close();
        if (gone) {
            letGo(found);
        }
        return !gone;
    }

    /** For auto the provider in software: whoever has TCP to an address may speak iWARP, and a device needs its own kind. */
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
        if (environment.services().framings(transport).isEmpty()) {
            // nothing that the peer says could be answered; it tries again
            refused(request);
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        refusing.set(false);
        Connection fresh =
                new Connection(environment.ids().incrementAndGet(), environment, by, transport, this, new Counters());
        if (!admit(fresh)) {
            LOG.info("refused {}: {} connections are there already", request.remoteAddress(), connections());
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        try {
            accept(fresh, request);
        } catch (RdmaException | RuntimeException e) {
            LOG.debug("could not accept {}", request.remoteAddress(), e);
            forget(fresh);
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
        fresh.verbs(rdma);
        fresh.postReceives(receives());
        Negotiation negotiation = fresh.negotiation();
        Peer peer = Peer.connecting(fresh, request.remoteAddress());
        fresh.readyToAnswer(
                negotiation.settle(request.privateData()),
                new Responder(fresh, program, peer, true, options.credits(), options.maxCallSize(), fresh.counters()));
        rdma.accept(negotiation.privateData(), ACCEPT_TIMEOUT);
        fresh.established();
        environment.listeners().tell();
    }

    /** For calls, and on top of them for the replies to calls in the reverse direction (RFC 8167 section 4.3.2). */
    private int receives() {
        return options.credits()
                + environment.tuning().receiveMargin()
                + environment.tuning().reverseCredits();
    }

    private ConnectionOptions limits() {
        // reverse calls are posted without a completion, which a provider may notice late: twice the room
        int sends =
                environment.tuning().workQueueDepth() + 2 * environment.tuning().reverseCredits();
        return new ConnectionOptions(sends, receives(), OUTBOUND_READS, INBOUND_READS, transport.providerOptions());
    }

    private synchronized boolean admit(Connection fresh) {
        if (closed || connections.size() >= options.maxConnections()) {
            return false;
        }
        connections.put(fresh.id(), fresh);
        return true;
    }

    private synchronized void forget(Connection ended) {
        connections.remove(ended.id());
    }

    private synchronized int connections() {
        return connections.size();
    }

    private synchronized List<Connection> present() {
        return new ArrayList<>(connections.values());
    }

    @Override
    public void connectionEnded(Connection ended, Exception cause) {
        forget(ended);
        environment.listeners().tell();
        if (cause != null) {
            LOG.info(
                    "connection {} from {} to {} ended: {}",
                    ended.id(),
                    ConnectErrors.describe(ended.rdma().remoteAddress()),
                    localAddress(),
                    cause.getMessage());
        }
    }

    /**
     * Lets the connections go that are affected by a change of services, side by side, each when what it carries is
     * answered or the bound is over.
     */
    void replace(Predicate<Connection> affected, String reason) {
        long deadline = environment.swaps().drainDeadline();
        environment
                .workers()
                .together(present().stream()
                        .filter(affected)
                        .<Runnable>map(leaving -> () -> Departure.run(leaving, reason, deadline))
                        .toList());
    }

    /** The provider goes away: nothing of it is used any more. */
    void suspend(RdmaProvider gone) {
        RdmaListener former;
        synchronized (this) {
            if (provider != gone) {
                return;
            }
            provider = null;
            former = listener;
            listener = null;
        }
        if (former != null) {
            former.close();
        }
        letGo(gone);
    }

    private void letGo(RdmaProvider gone) {
        replace(connection -> connection.provider() == gone, RdmaRpcTransport.gone(gone));
    }

    /** A provider has come: listens again at the same address where it was interrupted. May block. */
    void resume(RdmaProvider come) {
        InetSocketAddress interrupted;
        if (!come.name().equals(providerName()) || !environment.services().has(come)) {
            return;
        }
        synchronized (this) {
            if (closed || listener != null || address == null) {
                return; // without an address whoever listens for the first time is still at it
            }
            interrupted = address;
        }
        try {
            if (!listen(come, interrupted)) {
                LOG.debug("the provider to listen at {} with has gone again", interrupted);
            }
        } catch (RdmaException e) {
            LOG.warn("cannot listen at {} again yet: {}", interrupted, e.getMessage());
            var unused = environment
                    .workers()
                    .schedule(() -> environment.workers().run(() -> resume(come)), RESUME_AGAIN.toNanos());
        }
    }

    void addStatus(List<ConnectionStatus> all) {
        for (Connection connection : present()) {
            if (connection.isUsable()) {
                all.add(status(connection));
            }
        }
    }

    private ConnectionStatus status(Connection connection) {
        Map<String, String> settings = ConnectionFacts.of(connection, false);
        settings.put("credits", Integer.toString(options.credits()));
        Requester reverse = connection.requester();
        if (reverse != null) {
            settings.put("reverseCredits", Integer.toString(reverse.limit()));
        }
        Map<String, Long> counts = connection.counters().snapshot();
        long registrations = connection.rdma().remoteRegions();
        counts.put("registrations", registrations);
        return new ConnectionStatus(
                connection.id(),
                "server",
                "connected",
                ConnectErrors.describe(localAddress()),
                settings.get("remote"),
                settings,
                counts,
                reverse == null
                        ? Map.of("registrations", registrations)
                        : ConnectionFacts.gauges(reverse.gauges(), registrations),
                Map.of());
    }

    void trim() {
        present().forEach(Connection::trim);
    }

    @Override
    public void close() {
        RdmaListener former;
        synchronized (this) {
            closed = true;
            former = listener;
            listener = null;
        }
        if (former != null) {
            former.close();
        }
        long deadline = environment.swaps().drainDeadline();
        environment
                .workers()
                .together(present().stream()
                        .<Runnable>map(leaving -> () -> Departure.run(leaving, deadline))
                        .toList());
        onClose.accept(this);
    }
}
