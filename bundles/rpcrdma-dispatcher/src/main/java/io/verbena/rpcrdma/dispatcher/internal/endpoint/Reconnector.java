package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.Connector.EstablishedConnection;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a lost connection again, for as long as that is of use: at once, then after pauses. The pauses begin short,
 * since a peer whose listener is being replaced is back soon, and grow. They begin short again only after a connection
 * that was of use, so that a peer that ends each connection at once is not asked without a pause. After a connection
 * that brought replies and was lost soon, the pauses stay brief: calls make progress. Two waits have a bound of their
 * own: for services of this host ({@link ConnectOptions#serviceTimeout}), and for the peer ({@link
 * ConnectOptions#recoveryTimeout}).
 */
final class Reconnector {
    private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);
    /** The longest pause after a connection that brought a reply. */
    private static final Duration BRIEF = Duration.ofMillis(50);

    private final Runtime runtime;
    private final StateSignal wake;
    private final Connector connector;
    private final ConnectOptions options;
    private final RetryPolicy.Series series;
    private final RetryPolicy.Series brief;

    @GuardedBy("this")
    private long notBeforeNanos;

    @GuardedBy("this")
    private boolean hurried;

    @GuardedBy("this")
    private boolean closed;

    Reconnector(Connector connector, ConnectOptions options, TransportLimits limits, Runtime runtime) {
        this.runtime = runtime;
        wake = new StateSignal(runtime);
        this.connector = connector;
        this.options = options;
        this.series = limits.reconnects().start(runtime::nanoTime, runtime.random()::nextDouble);
        this.brief = limits.reconnects().withLongest(BRIEF).start(runtime::nanoTime, runtime.random()::nextDouble);
        notBeforeNanos = runtime.nanoTime();
    }

    /**
     * A connection that was in use has ended. The next one is made at once where this one was of use, after a brief
     * pause where it brought few replies and ended soon, and otherwise after a pause that grows.
     *
     * @param usefulNanos how long the connection stood, where it brought a reply; 0 where it brought none
     */
    void ended(long usefulNanos) {
        if (usefulNanos == 0) {
            backOff();
            return;
        }
        series.restart();
        pauseFor(brief.succeeded(usefulNanos) ? 0 : brief.nextPauseNanos());
    }

    /** A connection is ended in order to be replaced, which says nothing about the peer. */
    void replaced() {
        series.restart();
    }

    private void backOff() {
        pauseFor(series.nextPauseNanos());
    }

    private synchronized void pauseFor(long nanos) {
        notBeforeNanos = runtime.nanoTime() + nanos;
    }

    private synchronized long pauseNanos() {
        return hurried ? 0 : notBeforeNanos - runtime.nanoTime();
    }

    /**
     * Blocks until a connection is in use, or the attempts are given up.
     *
     * @param use takes a new connection into use
     * @return null, or why the attempts were given up
     */
    RpcException run(Predicate<EstablishedConnection> use) {
        // without time to recover, this replaces a connection whose services are replaced
        Duration whole = options.recoveryTimeout().isZero() ? options.connectTimeout() : options.recoveryTimeout();
        long deadline = runtime.nanoTime() + DurationConverter.of(whole);
        RpcException failure = TransportErrors.lost(options.remote(), "the ones before it ended at once", null);
        boolean isFirst = true;
        while (true) {
            long left = deadline - runtime.nanoTime();
            // a client with little time gets one attempt in any case
            long pause = isFirst ? Math.min(pauseNanos(), left / 2) : pauseNanos();
            isFirst = false;
            if (pause > left || !pause(pause)) {
                return TransportErrors.lost(
                        options.remote(),
                        "it could not be made again within " + TransportErrors.seconds(whole) + " s: "
                                + failure.getMessage(),
                        failure);
            }
            try {
                deadline += connector.awaitServices();
                failure = connect(deadline - runtime.nanoTime(), use);
            } catch (MissingServiceException e) {
                return e;
            }
            if (failure == null) {
                return null;
            }
            backOff();
            LOG.debug("attempt {} to connect to {} again failed", series.failures(), options.remote(), failure);
        }
    }

    private RpcException connect(long left, Predicate<EstablishedConnection> use) throws MissingServiceException {
        try {
            long bound = Math.max(1, Math.min(left, DurationConverter.of(options.connectTimeout())));
            return connector.connect(Duration.ofNanos(bound), use)
                    ? null
                    : TransportErrors.lost(options.remote(), "it was lost again at once", null);
        } catch (MissingServiceException e) {
            throw e;
        } catch (RpcException e) {
            return e;
        } catch (Throwable e) { // the attempt is repeated as after any other failure
            return TransportErrors.lost(options.remote(), "connecting failed: " + e, e);
        }
    }

    /** Waits for that time, or until a thread {@linkplain #hurry hurries}; false where this was closed meanwhile. */
    private boolean pause(long nanos) {
        try {
            boolean unused = wake.await(this::isOver, runtime.nanoTime() + nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        synchronized (this) {
            hurried = false;
            return !closed;
        }
    }

    private synchronized boolean isOver() {
        return closed || hurried;
    }

    /** A thread waits for a connection: the next attempt is made now. */
    void hurry() {
        synchronized (this) {
            series.restart();
            notBeforeNanos = runtime.nanoTime();
            hurried = true;
        }
        wake.signalAll();
    }

    /** Whether a thread waits for which no attempt was made yet. */
    synchronized boolean isHurried() {
        return hurried;
    }

    /** Makes no further attempt. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        wake.signalAll();
    }
}
