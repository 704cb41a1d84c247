package io.verbena.nfs.nio.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A lock that a thread may hold while the thread waits for the server. A thread that waits for the lock stops to wait
 * when it is interrupted, and when another thread closes its channel. Reentrant. Thread safe.
 */
public final class CallLock {
    /** Held for a moment. */
    private final Lock lock = new ReentrantLock();

    private final Condition changed;

    @GuardedBy("lock")
    private Thread holder;

    @GuardedBy("lock")
    private int holds;

    public CallLock(Runtime runtime) {
        changed = runtime.newCondition(lock);
    }

    /** As {@link #lock(BooleanSupplier)}, for a caller without a channel. */
    public void lock() throws IOException {
        lock(() -> false);
    }

    /**
     * Takes the lock; {@link #unlock} must follow.
     *
     * @param isClosed whether another thread closes the caller's channel; asked again after each {@link #wake}
     * @throws InterruptedIOException if the thread is interrupted while it waits; it stays interrupted
     * @throws AsynchronousCloseException if the channel is closed while the thread waits
     */
    public void lock(BooleanSupplier isClosed) throws IOException {
        lock.lock();
        try {
            awaitFree(isClosed);
            take();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitFree(BooleanSupplier isClosed) throws IOException {
        boolean isFree = false;
        try {
            while (!isFree()) {
                if (isClosed.getAsBoolean()) {
                    throw new AsynchronousCloseException();
                }
                changed.await();
            }
            isFree = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while another call goes on");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            if (!isFree && holder == null) {
                changed.signal(); // the signal may have been for this thread
            }
        }
    }

    /** Takes the lock if no other thread has it; returns whether {@link #unlock} must follow. */
    public boolean tryLock() {
        lock.lock();
        try {
            boolean isFree = isFree();
            if (isFree) {
                take();
            }
            return isFree;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isFree() {
        return holder == null || holder == Thread.currentThread();
    }

    @GuardedBy("lock")
    private void take() {
        holder = Thread.currentThread();
        holds++;
    }

    public void unlock() {
        lock.lock();
        try {
            holds--;
            if (holds == 0) {
                holder = null;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A channel closes: all threads that wait ask again whether theirs is closed. */
    public void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
