package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransferPlan;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A way to a peer's programs that outlives RDMA connections: calls go by a {@link Requester}, connections are a
 * {@link ConnectionKeeper}'s business.
 */
final class RpcClient implements RpcConnection, Requester.Owner {
    private final long id;
    private final Environment environment;
    private final ConnectOptions options;
    private final Requester requester;
    private final ConnectionKeeper connections;
    private final Counters counters = new Counters();
    private final Consumer<RpcClient> onClose;

    RpcClient(Environment environment, ConnectOptions options, Consumer<RpcClient> onClose) {
        this.id = environment.ids().incrementAndGet();
        this.environment = environment;
        this.options = options;
        this.onClose = onClose;
        int requested = Math.max(1, Math.min(options.maxOutstanding(), Requester.MAX_CALLS));
        requester = new Requester(requested, this, environment, counters);
        connections = new ConnectionKeeper(id, environment, options, requester, counters);
    }

    /** Connects for the first time, on the caller's thread. */
    void connect() throws IOException {
        try {
            connections.connect();
        } catch (IOException | RuntimeException e) {
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
        connections.need();
    }

    @Override
    public void connectionStuck(Connection stuck) {
        stuck.end(ConnectErrors.lost(
                options.remote(), "the peer holds every credit for calls that it never answered", null));
    }

    @Override
    public boolean isServiceMissing() {
        return connections.isServiceMissing();
    }

    /** Puts another connection in the place of the present one, if that is affected by a change of services. */
    void replace(Predicate<Connection> affected, String reason) {
        connections.replace(affected, reason);
    }

    /** Goes over to another connection where that is better, now that a service has come. */
    void improve() {
        connections.improve();
    }

    @Override
    public void reconnect(Duration timeout) throws RpcException {
        connections.reconnect(timeout);
    }

    @Override
    public String peer() {
        return ConnectErrors.describe(options.remote());
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
    public Optional<TransferPlan> explain(CallShape shape) {
        Connection present = connections.present();
        CallPath path = present == null ? null : present.calls();
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
            all.putAll(ConnectionFacts.of(present, true));
            all.put("versionChoice", present.versionChoice());
        }
        all.putIfAbsent("remote", peer());
        if (present != null) {
            all.put("credits", Integer.toString(requester.limit()));
            all.put("reverseCredits", Integer.toString(environment.tuning().reverseCredits()));
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

    ConnectionStatus status() {
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
                ConnectionFacts.gauges(requester.gauges(), registrations),
                requester.times().snapshot());
    }

    void trim() {
        Connection present = connections.present();
        if (present != null) {
            present.trim();
        }
    }

    @Override
    public boolean isOpen() {
        return connections.isOpen();
    }

    /** Sends no more, and waits for what is under way; before {@link #close}. */
    void drain(long deadline) {
        connections.drain(deadline);
    }

    @Override
    public void close() {
        if (!connections.stop()) {
            return;
        }
        requester.close(new TransportLostException("the connection to " + peer() + " was closed", null));
        connections.close();
        onClose.accept(this);
    }
}
