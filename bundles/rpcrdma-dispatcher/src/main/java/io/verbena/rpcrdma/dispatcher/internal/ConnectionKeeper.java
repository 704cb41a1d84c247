package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.Connector.Made;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a client connected: by one RDMA connection after another, each made of the services that are there then.
 *
 * <pre>
 * phase       there is                entered when
 * CONNECTING  a thread that connects  the first time, by the caller; a call finds no connection; one is replaced
 * CONNECTED   a connection            that thread was successful
 * IDLE        nothing                 the connection ended and nothing is to be sent; connecting failed for too long
 * CLOSED      nothing                 close
 * </pre>
 *
 * <p>A swap: a connection is CONNECTED and sends no more calls; when what is under way is done, or the bound is over, it
 * is closed, and the phase is CONNECTING at once. What can come in between:
 *
 * <pre>
 * another service of the same connection goes   its unbind waits for the same swap
 * a service of the connection that is being     that attempt is broken off and begun anew
 *   made in its place goes
 * the connection is lost                        the drain is over, nothing else changes
 * reconnect                                     waits for the connection that is made
 * close                                         the calls fail, the drain is over, no connection is made
 * </pre>
 */
final class ConnectionKeeper implements Connection.Owner, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionKeeper.class);

    private enum Phase {
        CONNECTING,
        CONNECTED,
        IDLE,
        CLOSED
    }

    private final long id;
    private final Environment environment;
    private final ConnectOptions options;
    private final Requester requester;
    private final Counters counters;
    private final Connector connector;
    private final Recovery recovery;
    private volatile String lastSwap;

    // guarded by this
    private final List<Swap> unfinished = new ArrayList<>();
    private Phase phase = Phase.CONNECTING;
    private Connection current;
    private RpcException givenUp;
    private boolean closed;

    ConnectionKeeper(long id, Environment environment, ConnectOptions options, Requester requester, Counters counters) {
        this.id = id;
        this.environment = environment;
        this.options = options;
        this.requester = requester;
        this.counters = counters;
        connector = new Connector(id, environment, options, requester, this, counters);
        recovery = new Recovery(connector, options, environment.tuning());
    }

    /** Connects for the first time, on the caller's thread. */
    void connect() throws IOException {
        if (!connector.connect(options.connectTimeout(), made -> adopt(made, 0))) {
            throw lost("it ended as soon as it stood", null);
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
        int replayed = requester.toResend();
        List<SwapRecord> swaps = new ArrayList<>();
        if (usable && requester.attach(fresh, () -> connected(fresh, replayed, swaps))) {
            swaps.forEach(environment.swaps()::tell);
            return true;
        }
        boolean replaced;
        synchronized (this) {
            // where the connection's end was told already, whoever heard of it sees to another one
            replaced = current != fresh && !closed;
            if (!replaced) {
                current = null;
            }
        }
        fresh.close();
        return replaced;
    }

    private boolean isMadeOfPresentServices(Connection fresh) {
        Services services = environment.services();
        return services.has(fresh.provider()) && services.has(fresh.framing());
    }

    /**
     * A connection takes calls: the swaps before it are over.
     *
     * @param over takes them
     */
    private void connected(Connection fresh, int replayed, List<SwapRecord> over) {
        synchronized (this) {
            for (Swap swap : List.copyOf(unfinished)) {
                if (!swap.isOf(fresh)) {
                    unfinished.remove(swap);
                    over.add(swap.record(id, peer(), fresh, replayed));
                }
            }
            if (!over.isEmpty()) {
                lastSwap = over.get(over.size() - 1).summary();
                counters.add(Counter.REPLAYED, replayed);
                counters.add(Counter.SWAPS, over.size());
            }
            if (current == fresh) {
                phase = Phase.CONNECTED;
                notifyAll();
            }
        }
    }

    /** There are calls, or will be: sees to it that there is a connection. */
    void need() {
        synchronized (this) {
            if (phase != Phase.IDLE) {
                return;
            }
            phase = Phase.CONNECTING;
            givenUp = null;
        }
        if (!environment.workers().run(this::recover)) {
            giveUp(lost("the transport is being stopped", null));
        }
    }

    /** Makes the connection again; on a thread of the transport's. */
    private void recover() {
        RpcException failure = recovery.run(this::adoptAgain);
        if (failure != null) {
            giveUp(failure);
        }
    }

    private boolean adoptAgain(Made made) {
        counters.increment(Counter.RECONNECTS);
        return adopt(made, (int) counters.get(Counter.RECONNECTS));
    }

    private void giveUp(RpcException why) {
        boolean stopped;
        requester.failAll(why);
        synchronized (this) {
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            givenUp = why;
            stopped = closed || environment.services().isClosed();
            notifyAll();
        }
        if (!stopped && requester.hasPending()) {
            need(); // of calls that came after the others had failed
        }
    }

    /** Whether calls wait for a service that is missing. */
    boolean isServiceMissing() {
        synchronized (this) {
            if (phase != Phase.CONNECTING) {
                return false;
            }
        }
        return connector.missing() != null;
    }

    @Override
    public void connectionEnded(Connection ended, Exception cause) {
        boolean swapped;
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
            swapped = unfinished.stream().anyMatch(swap -> swap.isOf(ended));
        }
        if (!swapped) {
            LOG.info("lost {}: {}", subject(), why(ended, cause));
        }
        tell(() -> options.observer().lost(cause));
        if (swapped || requester.hasPending()) {
            need();
        }
    }

    /** Where our own provider goes, its connections may end before they are replaced, and that tells of no peer. */
    private String why(Connection ended, Exception cause) {
        if (!environment.services().has(ended.provider())) {
            return RdmaRpcTransport.gone(ended.provider());
        }
        return cause == null ? "the peer ended it" : cause.getMessage();
    }

    /** An observer's failure is its own: it must not disturb the connection. */
    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.warn("the observer of {} failed", subject(), e);
        }
    }

    /**
     * Puts another connection in the place of the present one, if that is affected by a change of services. Returns when
     * nothing is left of the present one, nor of any that was being made of services that are not there any more.
     */
    void replace(Predicate<Connection> affected, String reason) {
        Connection present = present();
        if (present != null && affected.test(present)) {
            replace(present, reason, environment.swaps().drainDeadline());
        }
        connector.breakOffAbandoned();
    }

    private void replace(Connection present, String reason, long deadline) {
        Swap begun = null;
        Swap underWay = null;
        synchronized (this) {
            for (Swap swap : unfinished) {
                underWay = swap.isOf(present) ? swap : underWay;
            }
            if (underWay == null && current == present && !closed) {
                begun = new Swap(present, reason);
                unfinished.add(begun);
            }
        }
        if (begun != null) {
            begun.run(requester, deadline);
        } else if (underWay != null) {
            underWay.await();
        } else {
            present.close(); // it is ending by itself: until it has
        }
    }

    /** Goes over to another connection where that is better, now that a service has come. */
    void improve() {
        Connection present = present();
        String reason = present == null ? null : connector.betterThan(present);
        if (reason != null) {
            replace(present, reason, environment.swaps().drainDeadline());
        }
    }

    /** As {@link io.verbena.rpc.RpcConnection#reconnect}. */
    void reconnect(Duration timeout) throws RpcException {
        long deadline = System.nanoTime() + Nanos.of(timeout);
        environment.versions().forgetAll();
        Connection former = present();
        if (former != null) {
            long drained = environment.swaps().drainDeadline();
            replace(former, "asked for", drained - deadline < 0 ? drained : deadline);
        }
        need();
        recovery.hurry();
        awaitConnected(deadline);
    }

    private void awaitConnected(long deadline) throws RpcException {
        RpcException failure;
        synchronized (this) {
            try {
                for (long left = deadline - System.nanoTime();
                        !closed && phase != Phase.CONNECTED && givenUp == null && left > 0;
                        left = deadline - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (phase == Phase.CONNECTED) {
                return;
            }
            failure = closed ? lost("it was closed", null) : givenUp;
        }
        if (failure == null) {
            String missing = connector.missing();
            failure = missing == null
                    ? lost("it was not made again in time", null)
                    : new MissingServiceException(missing);
        }
        throw failure;
    }

    private RpcException lost(String why, Exception cause) {
        return ConnectErrors.lost(options.remote(), why, cause);
    }

    private String peer() {
        return ConnectErrors.describe(options.remote());
    }

    /** As the log names it: {@code connection 7 of docs to server:20049}. */
    private String subject() {
        String whose = label().isEmpty() ? "" : " of " + label();
        return "connection " + id + whose + " to " + peer();
    }

    /** The connection that there is, or null. */
    synchronized Connection present() {
        return current;
    }

    /** The provider that carries the connections. */
    ProviderChoice choice() {
        return connector.choice();
    }

    /** What the connection is for, for people; may be empty. */
    String label() {
        return connector.label();
    }

    /** What happened the last time that a connection was replaced, for people to read; null where none was. */
    String lastSwap() {
        return lastSwap;
    }

    /** The phase, for people to read. */
    synchronized String state() {
        return phase.name().toLowerCase(Locale.ROOT);
    }

    synchronized boolean isOpen() {
        return !closed;
    }

    /** Waits for what is under way, as before the end of the transport; sends no more calls. */
    void drain(long deadline) {
        Connection present = present();
        if (present != null) {
            Swap.drain(present, requester, deadline);
        }
    }

    /**
     * Connects no more.
     *
     * @return false where that was so before
     */
    boolean stop() {
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            notifyAll();
        }
        recovery.close();
        return true;
    }

    /** Ends the connection; after {@link #stop}. When it returns nothing of it is left. */
    @Override
    public void close() {
        Connection present = present();
        connector.close();
        if (present != null) {
            present.close();
        }
        synchronized (this) {
            phase = Phase.CLOSED;
        }
    }
}
