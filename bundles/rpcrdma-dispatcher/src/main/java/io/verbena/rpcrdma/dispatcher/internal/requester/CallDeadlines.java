package io.verbena.rpcrdma.dispatcher.internal.requester;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.base.Workers;
import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a requester look for calls whose time limit is over, as soon as the earliest deadline is due. A new call costs
 * one comparison while an earlier deadline is outstanding.
 */
final class CallDeadlines {
    private static final Logger LOG = LoggerFactory.getLogger(CallDeadlines.class);
    private static final long NONE = Long.MAX_VALUE;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The least time that a call gets for which a service is missing: the clock thread has to get to other calls. */
    static final long LEAST_POSTPONED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Runtime runtime;
    private final Workers workers;
    private final LongUnaryOperator expire;
    private final long start;
    private final AtomicLong nextCheck = new AtomicLong(NONE);

    @GuardedBy("itself")
    private final List<Future<?>> checks = new ArrayList<>();

    @GuardedBy("checks")
    private boolean closed;

    /**
     * @param expire ends the calls whose deadline is at or before the given time, and tells how many nanoseconds
     *     are left until the next deadline, {@link Long#MAX_VALUE} where there is none
     */
    CallDeadlines(Runtime runtime, Workers workers, LongUnaryOperator expire) {
        this.runtime = runtime;
        this.workers = workers;
        this.expire = expire;
        start = runtime.nanoTime();
    }

    /**
     * The next deadline of a call for which a service is missing: its time once more, however little that is. Services
     * that go again and again give the call no more time in all than one that is missing.
     *
     * @param madeNanos when the call was made
     * @param timeout nanoseconds that the call may take
     * @param serviceNanos how long a service may be missing
     */
    static long postponed(long now, long madeNanos, long timeout, long serviceNanos) {
        return Math.min(now + Math.max(timeout, LEAST_POSTPONED_NANOS), madeNanos + timeout + serviceNanos);
    }

    /** Has the clock thread look for expired calls at that time. */
    void watch(long deadline) {
        long due = deadline - start;
        long next = nextCheck.get();
        while (due < next) {
            if (nextCheck.compareAndSet(next, due)) {
                try {
                    schedule(due, deadline);
                } catch (Throwable e) {
                    nextCheck.compareAndSet(due, NONE); // otherwise no check would be scheduled any more
                    throw e;
                }
                return;
            }
            next = nextCheck.get();
        }
    }

    private void schedule(long due, long deadline) {
        synchronized (checks) {
            if (!closed) {
                checks.removeIf(Future::isDone);
                checks.add(workers.schedule(() -> check(due), deadline - runtime.nanoTime()));
            }
        }
    }

    /** Cancels the pending checks, which would keep the requester and its callers reachable. */
    void close() {
        synchronized (checks) {
            closed = true;
            checks.forEach(check -> check.cancel(false));
            checks.clear();
        }
    }

    private void check(long due) {
        if (!nextCheck.compareAndSet(due, NONE)) {
            return; // the check of an earlier deadline included this one
        }
        long left;
        try {
            left = expire.applyAsLong(runtime.nanoTime());
        } catch (Throwable e) {
            LOG.warn("calls whose time is over could not be ended, which is tried again: {}", e, e);
            left = AGAIN_NANOS;
        }
        if (left != NONE) {
            watch(runtime.nanoTime() + left);
        }
    }

    /**
     * @param sent whether the call went out
     */
    CallTimedOutException exceeded(PendingCall<?> call, boolean sent, String peer) {
        String known = sent ? "whether it was executed is not known" : "it was not sent, as others went before it";
        return new CallTimedOutException(
                "no reply to "
                        + (sent ? "call " + Hex.of(call.message().xid()) + ", " : "") + "procedure "
                        + call.message().procedure() + ", from " + peer
                        + " within " + TransportErrors.seconds(call.message().timeout())
                        + " s; " + known,
                sent);
    }
}
