package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The contexts that clients are making. The end of the bundle waits for them, since their threads need its classes.
 * Thread safe.
 */
final class PendingContexts {
    private final Lock lock = new ReentrantLock();
    private final Condition ended;

    @GuardedBy("lock")
    private int count;

    PendingContexts(Runtime runtime) {
        ended = runtime.newCondition(lock);
    }

    void begin() {
        lock.lock();
        try {
            count++;
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            count--;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until none is being made.
     *
     * @param nanos how long at most
     * @return whether none is being made
     * @throws InterruptedException if the calling thread is interrupted
     */
    boolean awaitNone(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lock();
        try {
            while (count > 0 && left > 0) {
                left = ended.awaitNanos(left);
            }
            return count == 0;
        } finally {
            lock.unlock();
        }
    }
}
