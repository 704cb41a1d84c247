package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The binds of windows that are under way, numbered from 1 on, and waiting for them. With the send queue's lock held. */
final class Binds {
    /** What has to hold while one waits. */
    interface Condition {
        void check() throws RdmaException;
    }

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final ReentrantLock lock;
    private final int most;
    private final SendQueue.Collector collector;
    private final Consumer<RdmaException> onFailure;
    private final Condition open;
    private long last;
    private long done;

    /**
     * @param most that are under way at once
     * @param open checked while there is something to wait for
     */
    Binds(
            ReentrantLock lock,
            int most,
            SendQueue.Collector collector,
            Consumer<RdmaException> onFailure,
            Condition open) {
        this.lock = lock;
        this.most = most;
        this.collector = collector;
        this.onFailure = onFailure;
        this.open = open;
    }

    /** The number of a bind that is to be posted now. */
    long next() {
        return ++last;
    }

    /** The last one was not posted after all. */
    void takeBack() {
        last--;
    }

    /** The device has completed the oldest. */
    void complete() {
        done++;
    }

    boolean isBusy() {
        return done < last;
    }

    /** Waits until another may be posted. */
    void awaitPlace() throws RdmaException {
        while (last - done >= most) {
            await(last - most + 1);
        }
    }

    /** Waits until so many are over; lets go of the lock meanwhile. */
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
                // whoever waits takes completions: the handler may be waiting for this very thread
                if (!collector.collect()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } finally {
                lock.lock();
            }
        }
    }
}
