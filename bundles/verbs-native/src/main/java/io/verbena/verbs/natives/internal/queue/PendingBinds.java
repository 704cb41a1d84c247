package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The binds of windows that are under way, numbered from 1 on, and the wait for them. Every call is made under the lock
 * of the {@link SendQueue}. Error Prone checks that at the SendQueue's field, since it cannot tell that the lock here
 * is the same.
 */
final class PendingBinds {
    /** Checked while a thread waits. */
    interface Condition {
        void check() throws RdmaException;
    }

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final ReentrantLock lock;
    private final int most;
    private final SendQueue.CompletionPoller poller;
    private final Consumer<RdmaException> onFailure;
    private final Condition open;
    private long last;
    private long done;

    /**
     * @param most the most binds under way at once
     * @param open throws where the connection has ended; checked while a thread waits
     */
    PendingBinds(
            ReentrantLock lock,
            int most,
            SendQueue.CompletionPoller poller,
            Consumer<RdmaException> onFailure,
            Condition open) {
        this.lock = lock;
        this.most = most;
        this.poller = poller;
        this.onFailure = onFailure;
        this.open = open;
    }

    /** The number for a bind that is posted next. */
    long next() {
        return ++last;
    }

    /** Takes back the last numbers: these binds were not posted. */
    void takeBack(int count) {
        last -= count;
    }

    /** Notes that the device has completed the oldest bind. */
    void complete() {
        done++;
    }

    boolean isBusy() {
        return done < last;
    }

    /** Whether no other bind may be posted now. */
    boolean isFull() {
        return last - done >= most;
    }

    /** Waits until another bind may be posted. */
    void awaitPlace() throws RdmaException {
        while (isFull()) {
            await(last - most + 1);
        }
    }

    /** Waits until that many binds are complete. Releases the lock meanwhile. */
    void await(long number) throws RdmaException {
        long deadline = System.nanoTime() + MOST_NANOS;
        while (done < number) {
            open.check();
            if (deadline - System.nanoTime() <= 0) {
                RdmaException e = new RdmaException(Kind.RESOURCES, "the device has not bound a window in time");
                onFailure.accept(e);
                throw e;
            }
            lock.unlock();
            try {
                // the waiting thread polls completions itself: the handler, on the receive thread, may be waiting for
                // this thread
                if (!poller.pollCompletions()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } finally {
                lock.lock();
            }
        }
    }
}
