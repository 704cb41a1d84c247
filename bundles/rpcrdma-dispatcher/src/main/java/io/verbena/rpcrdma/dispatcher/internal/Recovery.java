package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.Connector.Made;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a connection that was lost again, for as long as that is worth while: at once, then after pauses that begin
 * short, since a peer whose listener is being replaced is back in a moment, and grow. Two things are waited for, each
 * with a bound of its own: services of this host ({@link ConnectOptions#serviceTimeout}), and the peer
 * ({@link ConnectOptions#recoveryTimeout}).
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Connector connector;
    private final ConnectOptions options;
    private final Tuning tuning;
    private boolean hurried;
    private boolean closed;

    Recovery(Connector connector, ConnectOptions options, Tuning tuning) {
        this.connector = connector;
        this.options = options;
        this.tuning = tuning;
    }

    /**
     * Blocks until a connection is in use, or it is given up.
     *
     * @param use takes a connection that was made into use
     * @return null, or why it was given up
     */
    RpcException run(Predicate<Made> use) {
        long deadline = System.nanoTime() + Nanos.of(options.recoveryTimeout());
        for (int attempt = 0; ; attempt++) {
            RpcException failure;
            try {
                deadline += connector.awaitServices();
                failure = connect(deadline - System.nanoTime(), use);
            } catch (MissingServiceException e) {
                return e;
            }
            if (failure == null) {
                return null;
            }
            LOG.debug("attempt {} to connect to {} again failed", attempt + 1, options.remote(), failure);
            long pause = backoff(attempt);
            if (pause > deadline - System.nanoTime() || !pause(pause)) {
                return ConnectErrors.lost(
                        options.remote(),
                        "it could not be made again within " + ConnectErrors.seconds(options.recoveryTimeout()) + " s: "
                                + failure.getMessage(),
                        failure);
            }
        }
    }

    private RpcException connect(long left, Predicate<Made> use) throws MissingServiceException {
        try {
            long bound = Math.max(1, Math.min(left, Nanos.of(options.connectTimeout())));
            return connector.connect(Duration.ofNanos(bound), use)
                    ? null
                    : ConnectErrors.lost(options.remote(), "it was lost again at once", null);
        } catch (MissingServiceException e) {
            throw e;
        } catch (RpcException e) {
            return e;
        } catch (RuntimeException e) {
            return ConnectErrors.lost(options.remote(), "connecting failed: " + e, e);
        }
    }

    private long backoff(int attempt) {
        long longest = tuning.maxBackoff().toNanos();
        long plain = Math.min(longest, tuning.minBackoff().toNanos() << Math.min(attempt, 16));
        return plain / 2 + ThreadLocalRandom.current().nextLong(plain / 2 + 1);
    }

    /** Waits; false where this was closed meanwhile. */
    private synchronized boolean pause(long nanos) {
        long deadline = System.nanoTime() + nanos;
        try {
            for (long left = nanos; !closed && !hurried && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        hurried = false;
        return !closed;
    }

    /** Somebody waits: the next attempt is made now. */
    synchronized void hurry() {
        hurried = true;
        notifyAll();
    }

    /** Makes no further attempt. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
