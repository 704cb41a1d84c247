package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.Connector.Made;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A way to a peer's programs that outlives RDMA connections: it makes them, and makes them again.
 *
 * <pre>
 * phase       there is                entered when
 * CONNECTING  a thread that connects  the first time, by the caller; a call finds no connection
 * CONNECTED   a connection            that thread was successful
 * IDLE        nothing                 the connection ended and nothing is to be sent; connecting failed for too long
 * CLOSED      nothing                 close
 * </pre>
 */
final class RpcClient implements RpcConnection, Requester.Owner, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(RpcClient.class);

    private enum Phase {
        CONNECTING,
        CONNECTED,
        IDLE,
        CLOSED
    }

    private final long id;
    private final Environment environment;
    private final ConnectOptions options;
    private final Connector connector;
    private final Requester requester;
    private final Counters counters = new Counters();
    private final Consumer<RpcClient> onClose;

    private Phase phase = Phase.CONNECTING;
    private Connection current;
    private boolean closed;

    RpcClient(Environment environment, ConnectOptions options, Consumer<RpcClient> onClose) {
        this.id = environment.ids().incrementAndGet();
        this.environment = environment;
        this.options = options;
        this.onClose = onClose;
        int requested = Math.max(1, Math.min(options.maxOutstanding(), Requester.MAX_CALLS));
        requester = new Requester(requested, this, environment, counters);
        connector = new Connector(id, environment, options, requester, this, counters);
    }

    /** Connects for the first time, on the caller's thread. */
    void connect() throws IOException {
        try {
            long deadline = System.nanoTime() + Nanos.of(options.connectTimeout());
            Made made = connector.connect(options.connectTimeout());
            while (!adopt(made, 0)) {
                if (isMadeOfPresentServices(made.connection())) {
                    throw new TransportLostException(
                            "the connection to " + peer() + " ended as soon as it stood", null);
                }
                long left = Math.max(1, deadline - System.nanoTime());
                made = connector.connect(Duration.ofNanos(left));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Goes on with a connection that was made.
     *
     * @param number that of the reconnect, 0 for the first connection
     * @return false where it is of no use, and the caller has to see to another one
     */
    private boolean adopt(Made made, int number) {
        Connection fresh = made.connection();
        synchronized (this) {
            if (!closed) {
                current = fresh;
                phase = Phase.CONNECTED;
                notifyAll();
            }
        }
        // a service that goes after this look finds the connection and replaces it
        boolean usable = isMadeOfPresentServices(fresh);
        if (usable) {
            connector.settle(made);
        }
        if (usable && number > 0) {
            tell(() -> options.observer().reconnected(number)); // before the calls go out again
        }
        if (usable && requester.attach(fresh)) {
            return true;
        }
        boolean replaced;
        synchronized (this) {
            // where the connection's end was told already, whoever heard of it sees to another one
            replaced = current != fresh && !closed;
            if (!replaced) {
                current = null;
                phase = Phase.CONNECTING;
            }
        }
        fresh.close();
        return replaced;
    }

    private boolean isMadeOfPresentServices(Connection fresh) {
        Services services = environment.services();
        return services.has(fresh.provider()) && services.has(fresh.framing());
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return requester.call(call, decoder);
    }

    @Override
    public void connectionNeeded() {
        synchronized (this) {
            if (phase != Phase.IDLE) {
                return;
            }
            phase = Phase.CONNECTING;
        }
        if (!environment.workers().run(this::recover)) {
            requester.failAll(lost("the transport is being stopped", null));
        }
    }

    @Override
    public void connectionStuck(Connection stuck) {
        stuck.end(lost("the peer holds every credit for calls that it never answered", null));
    }

    @Override
    public void connectionEnded(Connection ended, Exception cause) {
        synchronized (this) {
            if (current != ended) {
                return;
            }
            current = null;
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            notifyAll();
            if (closed) {
                return;
            }
        }
        LOG.info("lost the connection to {}: {}", peer(), cause == null ? "the peer ended it" : cause.getMessage());
        tell(() -> options.observer().lost(cause));
        if (requester.hasPending()) {
            connectionNeeded();
        }
    }

    /** An observer's failure is its own: it must not disturb the connection. */
    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.warn("the observer of the connection to {} failed", peer(), e);
        }
    }

    /** Makes the connection again; on a thread of the transport's. */
    private void recover() {
        long deadline = System.nanoTime() + Nanos.of(options.recoveryTimeout());
        int attempt = 0;
        while (true) {
            Exception failure = reconnect(deadline - System.nanoTime());
            if (failure == null) {
                return;
            }
            LOG.debug("attempt {} to connect to {} again failed", attempt + 1, peer(), failure);
            long pause = backoff(attempt++);
            if (pause > deadline - System.nanoTime()) {
                giveUp(failure);
                return;
            }
            if (!pause(pause)) {
                return;
            }
        }
    }

    private Exception reconnect(long left) {
        try {
            long bound = Math.max(1, Math.min(left, Nanos.of(options.connectTimeout())));
            Made made = connector.connect(Duration.ofNanos(bound));
            counters.increment(Counter.RECONNECTS);
            if (adopt(made, (int) counters.get(Counter.RECONNECTS))) {
                return null;
            }
            return lost("it was lost again at once", null);
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private long backoff(int attempt) {
        long longest = environment.tuning().maxBackoff().toNanos();
        long plain = Math.min(longest, environment.tuning().minBackoff().toNanos() << Math.min(attempt, 16));
        return plain / 2 + ThreadLocalRandom.current().nextLong(plain / 2 + 1);
    }

    /** Waits; false where this was closed meanwhile. */
    private synchronized boolean pause(long nanos) {
        long deadline = System.nanoTime() + nanos;
        try {
            for (long left = nanos; !closed && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !closed;
    }

    private void giveUp(Exception last) {
        requester.failAll(
                last instanceof MissingServiceException missing
                        ? missing
                        : lost(
                                "it could not be made again within " + ConnectErrors.seconds(options.recoveryTimeout())
                                        + " s: " + last.getMessage(),
                                last));
        synchronized (this) {
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            notifyAll();
        }
        if (requester.hasPending()) {
            connectionNeeded(); // of calls that came after the others had failed
        }
    }

    private TransportLostException lost(String why, Exception cause) {
        return new TransportLostException("lost the connection to " + peer() + ": " + why, cause);
    }

    /** Puts another connection in the place of the present one, if that is affected by a change of services. */
    void replace(Predicate<Connection> affected) {
        Connection present = present();
        if (present != null && affected.test(present)) {
            drain(present);
            present.close();
        }
    }

    /** Waits a while for what is under way in both directions. */
    private void drain(Connection leaving) {
        long deadline = System.nanoTime() + Nanos.of(environment.tuning().drainTimeout());
        leaving.responder().awaitIdle(deadline); // while there still are forward calls, which it may take to answer
        requester.drain(leaving, deadline);
        leaving.responder().awaitIdle(deadline);
    }

    private synchronized Connection present() {
        return current;
    }

    @Override
    public void reconnect(Duration timeout) throws RpcException {
        long deadline = System.nanoTime() + Nanos.of(timeout);
        replace(connection -> true);
        connectionNeeded();
        synchronized (this) {
            try {
                for (long left = deadline - System.nanoTime();
                        !closed && phase != Phase.CONNECTED && left > 0;
                        left = deadline - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (phase != Phase.CONNECTED) {
                throw lost("it was not made again in time", null);
            }
        }
    }

    @Override
    public String peer() {
        return ConnectErrors.describe(options.remote());
    }

    @Override
    public Map<String, String> settings() {
        Connection present = present();
        Map<String, String> all = connector.choice().settings();
        if (present != null) {
            all.putAll(ConnectionFacts.of(present, true));
        }
        all.putIfAbsent("remote", peer());
        if (present != null) {
            all.put("credits", Integer.toString(requester.limit()));
            all.put("reverseCredits", Integer.toString(environment.tuning().reverseCredits()));
        }
        all.put("reconnects", Long.toString(counters.get(Counter.RECONNECTS)));
        return all;
    }

    @Override
    public Map<String, String> choice() {
        return connector.choice().options();
    }

    ConnectionStatus status() {
        Connection present = present();
        Map<String, String> settings = settings();
        Map<String, Long> counts = counters.snapshot();
        counts.put("registrations", present == null ? 0L : (long) present.rdma().remoteRegions());
        String state;
        synchronized (this) {
            state = phase.name().toLowerCase(Locale.ROOT);
        }
        return new ConnectionStatus(id, "client", state, settings.getOrDefault("local", ""), peer(), settings, counts);
    }

    void trim() {
        Connection present = present();
        if (present != null) {
            present.trim();
        }
    }

    @Override
    public synchronized boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        Connection present;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            present = current;
            notifyAll();
        }
        requester.close(new TransportLostException("the connection to " + peer() + " was closed", null));
        connector.close();
        if (present != null) {
            present.close();
        }
        onClose.accept(this);
        synchronized (this) {
            phase = Phase.CLOSED;
        }
    }
}
