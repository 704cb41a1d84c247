package io.verbena.nfs.transfer.internal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Queues the work of a copy: files to start, and steps of started files. Workers take steps first, so that few files
 * are incomplete at a time. Thread safe.
 */
final class WorkQueue {
    /** A unit of work for a worker. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when work is added and when work ends. */
    private final Condition changed;

    @GuardedBy("lock")
    private final Iterator<? extends Work> files;

    @GuardedBy("lock")
    private final Deque<Work> steps = new ArrayDeque<>();

    @GuardedBy("lock")
    private int active;

    WorkQueue(Runtime runtime, Iterator<? extends Work> files) {
        this.changed = runtime.newCondition(lock);
        this.files = files;
    }

    /**
     * Waits for the next work and returns it. The caller must call {@link #end} after the work. Returns null if there
     * is no work and no running work can add any.
     */
    Work take() throws InterruptedException {
        lock.lock();
        try {
            while (steps.isEmpty() && !files.hasNext() && active > 0) {
                changed.await();
            }
            Work next = !steps.isEmpty() ? steps.remove() : files.hasNext() ? files.next() : null;
            if (next != null) {
                active++;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    void add(List<? extends Work> more) {
        lock.lock();
        try {
            steps.addAll(more);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Records the end of a unit of work, whether the work succeeded or failed. */
    void end() {
        lock.lock();
        try {
            active--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
