package io.verbena.nfs41.client.internal.util;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A semaphore with one permit. Another thread than the one that has acquired it may release it. A thread that acquires
 * it waits at the runtime, and may itself wait for other things while it has the permit. Thread safe; not reentrant.
 */
public final class BinarySemaphore {
    private final Lock lock = new ReentrantLock();
    private final Condition released;

    @GuardedBy("lock")
    private boolean acquired;

    public BinarySemaphore(Runtime runtime) {
        this.released = runtime.newCondition(lock);
    }

    /** Acquires the permit. Blocks until it is free, at most for the time; returns whether it was acquired. */
    public boolean acquire(long timeoutNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeoutNanos;
            while (acquired) {
                if (left <= 0) {
                    return false;
                }
                left = released.awaitNanos(left);
            }
            acquired = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Acquires the permit. Blocks until it is free; an interruption does not end the wait. */
    public void acquireUninterruptibly() {
        lock.lock();
        try {
            while (acquired) {
                released.awaitUninterruptibly();
            }
            acquired = true;
        } finally {
            lock.unlock();
        }
    }

    /** Releases the permit. The caller, or the thread that it acts for, has acquired it. */
    public void release() {
        lock.lock();
        try {
            acquired = false;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
