package io.verbena.rpcrdma.dispatcher.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.RdmaException;
import java.time.Duration;
import java.util.concurrent.Future;

/**
 * Ends a connection whose peer makes no progress: answers none of the outstanding RDMA Reads, or takes none of the
 * replies. The layers below need not notice, since TCP and the device see a peer that acknowledges. Thread safe.
 */
public final class ProgressWatchdog {
    private final Runtime runtime;
    private final Connection connection;
    private final Duration timeout;
    private final long timeoutNanos;
    private final String complaint;

    @GuardedBy("this")
    private int outstanding;

    @GuardedBy("this")
    private long progress;

    @GuardedBy("this")
    private Future<?> check;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param timeout in which one of the outstanding items has to be done
     * @param complaint a format for {@link String#format}, with the number of outstanding items and the milliseconds
     */
    public ProgressWatchdog(Connection connection, Duration timeout, String complaint) {
        this.connection = connection;
        runtime = connection.context().runtime();
        this.timeout = timeout;
        this.complaint = complaint;
        timeoutNanos = DurationConverter.of(timeout);
    }

    /** Items are outstanding from now on. */
    public synchronized void begun(int count) {
        if (check == null && !closed) {
            checkIn(timeoutNanos); // if this throws, nothing is counted
        }
        if (outstanding == 0) {
            progress = runtime.nanoTime();
        }
        outstanding += count;
    }

    /** The peer has done one item. */
    public synchronized void done() {
        outstanding--;
        progress = runtime.nanoTime();
    }

    private synchronized void checkIn(long nanos) {
        check = connection.context().workers().schedule(this::check, nanos);
    }

    private void check() {
        int waiting;
        synchronized (this) {
            check = null;
            if (closed || outstanding == 0) {
                return;
            }
            long left = timeoutNanos - (runtime.nanoTime() - progress);
            if (left > 0) {
                checkIn(left);
                return;
            }
            waiting = outstanding;
        }
        connection.end(new RdmaException(
                RdmaException.Kind.TIMED_OUT,
                Addresses.text(connection.rdma().remoteAddress()) + " "
                        + String.format(complaint, waiting, timeout.toMillis())));
    }

    /** The connection has ended. */
    public synchronized void close() {
        closed = true;
        if (check != null) {
            check.cancel(false);
            check = null;
        }
    }
}
