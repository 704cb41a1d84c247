package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.CallTimedOutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * Has a requester look for calls whose time is over, no sooner than the first of them can be and no later than it is
 * due. A call costs a comparison here as long as an earlier one is outstanding.
 */
final class CallDeadlines {
    private static final long NONE = Long.MAX_VALUE;

    private final Workers workers;
    private final LongUnaryOperator expire;
    private final long start = System.nanoTime();
    private final AtomicLong nextCheck = new AtomicLong(NONE);
    private final List<Future<?>> checks = new ArrayList<>(); // guarded by itself
    private boolean closed;

    /**
     * @param expire ends the calls whose deadline is at or before the given time, and tells how many nanoseconds
     *     are left until the next deadline, {@link Long#MAX_VALUE} where there is none
     */
    CallDeadlines(Workers workers, LongUnaryOperator expire) {
        this.workers = workers;
        this.expire = expire;
    }

    /** The deadline of a call made now, on the clock of {@link System#nanoTime}. */
    long of(Duration timeout) {
        return System.nanoTime() + Nanos.of(timeout);
    }

    /** Sees to it that somebody looks at that time. */
    void watch(long deadline) {
        long due = deadline - start;
        long next = nextCheck.get();
        while (due < next) {
            if (nextCheck.compareAndSet(next, due)) {
                schedule(due, deadline);
                return;
            }
            next = nextCheck.get();
        }
    }

    private void schedule(long due, long deadline) {
        synchronized (checks) {
            if (!closed) {
                checks.removeIf(Future::isDone);
                checks.add(workers.schedule(() -> check(due), deadline - System.nanoTime()));
            }
        }
    }

    /** Looks no more: what the clock still had to do would keep the requester, and who made its calls. */
    void close() {
        synchronized (checks) {
            closed = true;
            checks.forEach(check -> check.cancel(false));
            checks.clear();
        }
    }

    private void check(long due) {
        if (!nextCheck.compareAndSet(due, NONE)) {
            return; // an earlier deadline came up, whose check has seen to this one too
        }
        long left = expire.applyAsLong(System.nanoTime());
        if (left != NONE) {
            watch(System.nanoTime() + left);
        }
    }

    /**
     * @param sent whether the call went out
     */
    CallTimedOutException exceeded(PendingCall<?> call, boolean sent, String peer) {
        String known = sent ? "whether it was executed is not known" : "it was not sent, as others went before it";
        return new CallTimedOutException(
                "no reply to "
                        + (sent ? "call " + ReplyReader.hex(call.message().xid()) + ", " : "") + "procedure "
                        + call.message().procedure() + ", from " + peer
                        + " within " + ConnectErrors.seconds(call.message().timeout())
                        + " s; " + known,
                sent);
    }
}
