package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.Connector.EstablishedConnection;
import io.verbena.rpcrdma.dispatcher.internal.requester.Requester;
import io.verbena.rpcrdma.dispatcher.internal.services.MissingProviderMessages;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice;
import io.verbena.rpcrdma.dispatcher.internal.services.Services;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapRecord;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.verbs.Addresses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a client connected by one RDMA connection after another, each made of the services that are present at that
 * time.
 *
 * <pre>
 * phase       there is                entered when
 * CONNECTING  a thread that connects  the first time, by the caller; a call finds no connection; one is replaced
 * CONNECTED   a connection            that thread was successful
 * IDLE        nothing                 the connection ended and nothing is to be sent; connecting failed for too long
 * CLOSED      nothing                 close
 * </pre>
 *
 * <p>A swap: a connection is CONNECTED and sends no more calls. When the calls under way are done, or the bound is
 * over, the connection is closed, and the phase is CONNECTING at once. Events in between:
 *
 * <pre>
 * another service of the same connection goes   its unbind waits for the same swap
 * a service of the connection that is being     that attempt is broken off and begun anew
 *   made in its place goes
 * the connection is lost                        the drain is over, nothing else changes
 * reconnect                                     waits for the connection that is made
 * close                                         the calls fail, the drain is over, no connection is made
 * </pre>
 *
 * <p>Where the options leave no time to recover, a lost connection is not made again: its calls fail at once, and so do
 * those that come later.
 *
 * <p>After a connection that was of use (it brought a reply and stood for a while) the next one is made at once.
 * Otherwise {@link Reconnector} pauses first, for longer each time.
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
    private final TransportContext context;
    private final ConnectOptions options;
    private final Requester requester;
    private final Counters counters;
    private final Connector connector;
    private final Reconnector reconnector;
    private final StateSignal changed;
    private volatile String lastSwap;

    @GuardedBy("this")
    private final List<ConnectionSwap> unfinished = new ArrayList<>();

    @GuardedBy("this")
    private Phase phase = Phase.CONNECTING;

    @GuardedBy("this")
    private Connection current;

    @GuardedBy("this")
    private RpcException givenUp;

    @GuardedBy("this")
    private boolean closed;

    /** Why the connection that was lost is not made again; null where that does not hold. */
    @GuardedBy("this")
    private RpcException over;

    ConnectionKeeper(
            long id, TransportContext context, ConnectOptions options, Requester requester, Counters counters) {
        this.id = id;
        this.context = context;
        this.options = options;
        this.requester = requester;
        this.counters = counters;
        changed = new StateSignal(context.runtime());
        connector = new Connector(id, context, options, requester, this, counters);
        reconnector = new Reconnector(connector, options, context.limits(), context.runtime());
    }

    /** Connects for the first time, on the caller's thread. */
    void connect() throws IOException {
        if (!connector.connect(options.connectTimeout(), made -> adopt(made, 0))) {
            throw lost("it ended as soon as it stood", null);
        }
    }

    /**
     * Takes a connection into use that was made.
     *
     * @param number the number of the reconnect, 0 for the first connection
     * @return false where the connection is of no use, and the caller has to make another one
     */
    private boolean adopt(EstablishedConnection made, int number) {
        Connection fresh = made.connection();
        synchronized (this) {
            if (!closed) {
                current = fresh;
            }
        }
        // a thread that removes a service after this check finds the connection and replaces it
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
            swaps.forEach(context.swaps()::tell);
            return true;
        }
        boolean replaced;
        synchronized (this) {
            // where connectionEnded was called already, it has made sure that another connection is made
            replaced = current != fresh && !closed;
            if (!replaced) {
                current = null;
            }
        }
        fresh.close();
        return replaced;
    }

    private boolean isMadeOfPresentServices(Connection fresh) {
        Services services = context.services();
        return services.has(fresh.provider()) && services.has(fresh.framing());
    }

    /**
     * A connection takes calls: the swaps before it are over.
     *
     * @param over gets the records of those swaps
     */
    private void connected(Connection fresh, int replayed, List<SwapRecord> over) {
        synchronized (this) {
            for (ConnectionSwap swap : List.copyOf(unfinished)) {
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
            }
        }
        changed.signalAll();
    }

    /** There are calls, or will be: makes a connection where there is none. */
    void ensureConnected() {
        boolean isAwaited = true;
        while (isAwaited) {
            RpcException end;
            synchronized (this) {
                if (phase != Phase.IDLE) {
                    return;
                }
                phase = Phase.CONNECTING;
                givenUp = null;
                end = over;
            }
            if (end == null && context.workers().run(this::recover)) {
                return;
            }
            isAwaited = giveUp(
                    end == null ? lost("the transport is being stopped, or has no thread to connect with", null) : end);
        }
    }

    /** Makes the connection again, on a thread of the transport. */
    private void recover() {
        RpcException failure;
        try {
            failure = reconnector.run(this::adoptAgain);
        } catch (Throwable e) { // otherwise the phase would stay CONNECTING
            failure = lost("connecting failed: " + e, e);
        }
        if (failure != null && giveUp(failure)) {
            ensureConnected();
        }
    }

    private boolean adoptAgain(EstablishedConnection made) {
        counters.increment(Counter.RECONNECTS);
        return adopt(made, (int) counters.get(Counter.RECONNECTS));
    }

    /**
     * Fails all calls.
     *
     * @return whether a call or a thread that came meanwhile waits for a connection
     */
    private boolean giveUp(RpcException why) {
        boolean stopped;
        boolean isHurried = false;
        try {
            requester.failAll(why);
            // by a thread that came after the attempts were given up; where no attempt is made, that thread is told why
            isHurried = reconnector.isHurried() && !isOver();
        } finally {
            synchronized (this) {
                phase = closed ? Phase.CLOSED : Phase.IDLE;
                stopped = closed || context.services().isClosed();
                givenUp = isHurried && !stopped ? null : why;
            }
            changed.signalAll();
        }
        return !stopped && (isHurried || requester.hasPending());
    }

    private synchronized boolean isOver() {
        return over != null;
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
        boolean replaced;
        synchronized (this) {
            if (current != ended) {
                return;
            }
            current = null;
            phase = closed ? Phase.CLOSED : Phase.IDLE;
            if (closed) {
                return;
            }
            swapped = unfinished.stream().anyMatch(swap -> swap.isOf(ended));
            replaced = swapped || !isMadeOfPresentServices(ended);
            if (!replaced && options.recoveryTimeout().isZero()) {
                over = lost("it ended: " + why(ended, cause), cause);
            }
        }
        if (replaced) {
            reconnector.replaced();
        } else {
            reconnector.ended(ended.activity().usefulNanos());
        }
        if (!swapped) {
            LOG.info("lost {}: {}", subject(), why(ended, cause));
        }
        tell(() -> options.observer().lost(cause));
        if (swapped || requester.hasPending()) {
            ensureConnected();
        }
    }

    /**
     * Why a connection was lost. Where a provider of this end goes, its connections may end before they are replaced:
     * that is no failure of the peer.
     */
    private String why(Connection ended, Exception cause) {
        if (!context.services().has(ended.provider())) {
            return MissingProviderMessages.gone(ended.provider());
        }
        return cause == null ? "the peer ended it" : cause.getMessage();
    }

    /** Tells the observer. A failure of the observer must not disturb the connection. */
    private void tell(Runnable event) {
        try {
            event.run();
        } catch (Throwable e) {
            LOG.warn("the observer of {} failed", subject(), e);
        }
    }

    /**
     * Replaces the present connection, if a change of services affects it. When this returns, the present connection
     * has ended, and so have attempts with services that are not present any more.
     */
    void replace(Predicate<Connection> affected, String reason) {
        Connection present = present();
        if (present != null && affected.test(present)) {
            replace(present, reason, context.swaps().drainDeadline());
        }
        connector.breakOffAbandoned();
    }

    private void replace(Connection present, String reason, long deadline) {
        ConnectionSwap begun = null;
        ConnectionSwap underWay = null;
        synchronized (this) {
            for (ConnectionSwap swap : unfinished) {
                underWay = swap.isOf(present) ? swap : underWay;
            }
            if (underWay == null && current == present && !closed) {
                begun = new ConnectionSwap(present, reason);
                unfinished.add(begun);
            }
        }
        if (begun != null) {
            begun.run(requester, deadline);
        } else if (underWay != null) {
            underWay.await();
        } else {
            present.close(); // it is ending already: this waits until it has ended
        }
    }

    /** Replaces the connection where a better one can be made, now that a service came. */
    void improve() {
        Connection present = present();
        String reason = present == null ? null : connector.betterThan(present);
        if (reason != null) {
            replace(present, reason, context.swaps().drainDeadline());
        }
    }

    /** As {@link io.verbena.rpc.RpcConnection#reconnect}. */
    void reconnect(Duration timeout) throws RpcException {
        long deadline = context.runtime().nanoTime() + DurationConverter.of(timeout);
        context.versions().forgetAll();
        Connection former = present();
        if (former != null) {
            long drained = context.swaps().drainDeadline();
            replace(former, "asked for", drained - deadline < 0 ? drained : deadline);
        }
        reconnector.hurry(); // before another thread reads how long to pause
        ensureConnected();
        awaitConnected(deadline);
    }

    private void awaitConnected(long deadline) throws RpcException {
        while (awaitSettled(deadline)) {
            synchronized (this) {
                if (phase == Phase.CONNECTED) {
                    return;
                }
                if (closed || givenUp != null) {
                    throw closed ? lost("it was closed", null) : givenUp;
                }
            }
            // the connection that stood has ended already: the next one is awaited
        }
        String missing = connector.missing();
        throw missing == null ? lost("it was not made again in time", null) : new MissingServiceException(missing);
    }

    /** Waits until connecting was successful or was given up; false at the deadline, and if interrupted. */
    private boolean awaitSettled(long deadline) {
        try {
            return changed.await(this::isSettled, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized boolean isSettled() {
        return closed || phase == Phase.CONNECTED || givenUp != null;
    }

    private RpcException lost(String why, Throwable cause) {
        return TransportErrors.lost(options.remote(), why, cause);
    }

    private String peer() {
        return Addresses.text(options.remote());
    }

    /** The connection as the log names it: {@code connection 7 of docs to server:20049}. */
    private String subject() {
        String whose = label().isEmpty() ? "" : " of " + label();
        return "connection " + id + whose + " to " + peer();
    }

    /** The present connection, or null. */
    synchronized Connection present() {
        return current;
    }

    /** Whether the caller is on a thread that closing waits for: one that connects, or receives by the connection. */
    boolean isOwnThread() {
        Connection present = present();
        return (present != null && present.isReceiveThread()) || connector.isOwnThread();
    }

    /** The provider that carries the connections. */
    ProviderChoice choice() {
        return connector.choice();
    }

    /** What the connection is for, for people to read; may be empty. */
    String label() {
        return connector.label();
    }

    /** The last replacement of a connection, for people to read; null where there was none. */
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

    /** Sends no more calls, and waits for those under way, before the transport ends. */
    void drain(long deadline) {
        Connection present = present();
        if (present != null) {
            ConnectionSwap.drain(present, requester, deadline);
        }
    }

    /** Makes no further connection. */
    void stop() {
        synchronized (this) {
            closed = true;
        }
        changed.signalAll();
        reconnector.close();
    }

    /** Ends the connection, after {@link #stop}. When this returns, its threads and memory are released. */
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
