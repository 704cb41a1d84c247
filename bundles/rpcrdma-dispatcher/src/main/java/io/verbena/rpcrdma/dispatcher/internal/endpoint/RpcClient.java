package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.memory.PeerMemoryShare;
import io.verbena.rpcrdma.dispatcher.internal.requester.ConnectionCalls;
import io.verbena.rpcrdma.dispatcher.internal.requester.Requester;
import io.verbena.rpcrdma.dispatcher.internal.requester.RequesterOwner;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.runtime.Closing;
import io.verbena.verbs.Addresses;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of the programs of one peer, which outlives RDMA connections. A {@link Requester} makes the calls, a {@link
 * ConnectionKeeper} the connections.
 */
public final class RpcClient implements RpcConnection, RequesterOwner {
    private static final Logger LOG = LoggerFactory.getLogger(RpcClient.class);
    /**
     * How long closing takes at most: a provider's connection ends in 30 s, ours is told of that in 10 s, and an
     * attempt to connect ends in 10 s.
     */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(50);

    private final long id;
    private final TransportContext context;
    private final ConnectOptions options;
    private final PeerMemoryShare share;
    private final Requester requester;
    private final ConnectionKeeper connections;
    private final Counters counters = new Counters();
    private final Consumer<RpcClient> onClose;
    private final Closing closing;

    public RpcClient(TransportContext context, ConnectOptions options, Consumer<RpcClient> onClose) {
        this.id = context.ids().incrementAndGet();
        this.context = context;
        this.options = options;
        this.onClose = onClose;
        closing = new Closing(context.runtime());
        int requested = Math.max(1, Math.min(options.maxOutstanding(), Requester.MAX_CALLS));
        share = new PeerMemoryShare(context.memory(), options.remote().getHostString(), id);
        requester = new Requester(requested, this, context, share.memory(), counters);
        connections = new ConnectionKeeper(id, context, options, requester, counters);
        TransportOptions.parse(options.transport()).spoken().forEach(version -> context.versions()
                .answered(options.remote(), version));
    }

    /** Connects for the first time, on the caller's thread. */
    public void connect() throws IOException {
        try {
            connections.connect();
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return requester.call(call, decoder);
    }

    @Override
    public void connectionNeeded() {
        connections.ensureConnected();
    }

    @Override
    public void connectionStuck(Connection stuck) {
        stuck.end(TransportErrors.lost(
                options.remote(), "calls that the peer never answered hold every credit, or all room", null));
    }

    @Override
    public boolean isServiceMissing() {
        return connections.isServiceMissing();
    }

    @Override
    public long serviceNanos() {
        return DurationConverter.of(options.serviceTimeout());
    }

    /** Replaces the present connection, if a change of services affects it. */
    public void replace(Predicate<Connection> affected, String reason) {
        connections.replace(affected, reason);
    }

    /** Replaces the connection where a better one can be made, now that a service came. */
    public void improve() {
        connections.improve();
    }

    @Override
    public void reconnect(Duration timeout) throws RpcException {
        connections.reconnect(timeout);
    }

    @Override
    public String peer() {
        return Addresses.text(options.remote());
    }

    @Override
    public long connectionId() {
        return id;
    }

    @Override
    public String label() {
        return connections.label();
    }

    @Override
    public Optional<TransferSizes> explain(CallShape shape) {
        Connection present = connections.present();
        ConnectionCalls path = present == null ? null : ConnectionCalls.of(present);
        return path == null ? Optional.empty() : Optional.of(path.explain(shape));
    }

    @Override
    public Map<String, String> settings() {
        Connection present = connections.present();
        Map<String, String> all = connections.choice().settings();
        if (!label().isEmpty()) {
            all.put(TransportOptions.LABEL, label());
        }
        if (present != null) {
            all.putAll(ConnectionReport.of(present, true));
            all.put("versionChoice", present.versionChoice());
        }
        all.putIfAbsent("remote", peer());
        if (present != null) {
            all.put("credits", Integer.toString(requester.limit()));
            all.put("reverseCredits", Integer.toString(context.limits().reverseCredits()));
        }
        for (Counter counter : new Counter[] {Counter.RECONNECTS, Counter.SWAPS, Counter.REPLAYED}) {
            all.put(counter.label(), Long.toString(counters.get(counter)));
        }
        String lastSwap = connections.lastSwap();
        if (lastSwap != null) {
            all.put("lastSwap", lastSwap);
        }
        return all;
    }

    @Override
    public Map<String, String> choice() {
        return connections.choice().options();
    }

    @Override
    public Map<String, String> learned() {
        return TransportOptions.spoken(context.versions().spoken(options.remote()));
    }

    public ConnectionStatus status() {
        Connection present = connections.present();
        Map<String, String> settings = settings();
        Map<String, Long> counts = counters.snapshot();
        long registrations = present == null ? 0L : (long) present.rdma().remoteRegions();
        counts.put("registrations", registrations);
        String local = settings.getOrDefault("local", "");
        return new ConnectionStatus(
                id,
                "client",
                connections.state(),
                local,
                peer(),
                settings,
                counts,
                ConnectionReport.gauges(requester.gauges(), registrations),
                requester.times().snapshot());
    }

    public void trim() {
        Connection present = connections.present();
        if (present != null) {
            present.trim();
        }
    }

    @Override
    public boolean isOpen() {
        return connections.isOpen();
    }

    /** Sends no more calls, and waits for those under way, before {@link #close}. */
    public void drain(long deadline) {
        connections.drain(deadline);
    }

    /**
     * Ends this client. When this returns, its threads and memory are released, also where another thread has begun to
     * close it; but not where a handler calls this on a thread that makes the connection or receives by it.
     */
    @Override
    public void close() {
        if (!closing.run(this::end, connections::isOwnThread, context.runtime().nanoTime() + CLOSE_NANOS)) {
            LOG.warn("connection {} to {} was not closed in time by {}", id, peer(), closing.closer());
        }
    }

    private void end() {
        connections.stop();
        requester.close(new TransportLostException("the connection to " + peer() + " was closed", null));
        connections.close();
        share.close();
        onClose.accept(this);
    }
}
