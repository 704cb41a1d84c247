package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

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
            if (!adopt(connector.connect(options.connectTimeout()))) {
                throw new TransportLostException("the connection to " + peer() + " ended as soon as it stood", null);
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private boolean adopt(Connection fresh) {
        boolean refused;
        lock.lock();
        try {
            refused = closed;
            if (!refused) {
                current = fresh;
                phase = Phase.CONNECTED;
            }
        } finally {
            lock.unlock();
        }
        if (!refused && requester.attach(fresh)) {
            return true;
        }
        fresh.close();
        lock.lock();
        try {
            if (current == fresh) {
                current = null;
                phase = Phase.CONNECTING;
            }
        } finally {
            lock.unlock();
        }
        return false;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return requester.call(call, decoder);
    }

    @Override
    public void connectionNeeded() {
        lock.lock();
        try {
            if (phase != Phase.IDLE) {
                return;
            }
            phase = Phase.CONNECTING;
        } finally {
            lock.unlock();
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
        lock.lock();
        try {
            if (current != ended) {
                return;
            }
            current = null;
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            changed.signalAll();
            if (closed) {
                return;
            }
        } finally {
            lock.unlock();
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
        long deadline = System.nanoTime() + options.recoveryTimeout().toNanos();
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
            long bound = Math.max(1, Math.min(left, options.connectTimeout().toNanos()));
            Connection fresh = connector.connect(Duration.ofNanos(bound));
            // before the calls go out: once a reply is there, so is the count
            counters.increment(Counter.RECONNECTS);
            long number = counters.get(Counter.RECONNECTS);
            if (adopt(fresh)) {
                tell(() -> options.observer().reconnected((int) number));
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
    private boolean pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (closed) {
                phase = Phase.CLOSED;
                changed.signalAll();
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void giveUp(Exception last) {
        requester.failAll(
                last instanceof MissingServiceException missing
                        ? missing
                        : lost(
                                "it could not be made again within " + ConnectErrors.seconds(options.recoveryTimeout())
                                        + " s: " + last.getMessage(),
                                last));
        lock.lock();
        try {
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            changed.signalAll();
        } finally {
            lock.unlock();
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
            requester.drain(environment.tuning().drainTimeout());
            present.close();
        }
    }

    private Connection present() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String peer() {
        return ConnectErrors.describe(options.remote());
    }

    @Override
    public Map<String, String> settings() {
        Connection present = present();
        Map<String, String> all = present == null ? new LinkedHashMap<>() : present.describe(true);
        all.putIfAbsent("remote", peer());
        if (present != null) {
            all.put("credits", Integer.toString(requester.limit()));
        }
        all.put("reconnects", Long.toString(counters.get(Counter.RECONNECTS)));
        return all;
    }

    ConnectionStatus status() {
        Connection present = present();
        Map<String, String> settings = settings();
        Map<String, Long> counts = counters.snapshot();
        counts.put("registrations", present == null ? 0L : (long) present.rdma().remoteRegions());
        String state;
        lock.lock();
        try {
            state = phase.name().toLowerCase(Locale.ROOT);
        } finally {
            lock.unlock();
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
    public boolean isOpen() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        close("the connection to " + peer() + " was closed");
    }

    private void close(String why) {
        Connection present;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            present = current;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        RpcException reason = new TransportLostException(why, null);
        requester.close(reason);
        connector.close();
        if (present != null) {
            present.close();
        }
        onClose.accept(this);
        lock.lock();
        try {
            phase = Phase.CLOSED;
        } finally {
            lock.unlock();
        }
    }
}
