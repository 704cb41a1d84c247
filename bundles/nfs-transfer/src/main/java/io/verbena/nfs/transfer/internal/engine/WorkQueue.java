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

        /** Returns whether the work takes few requests and little memory. */
        default boolean isSmall() {
            return false;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when work is added and when work ends. */
    private final Condition changed;

    @GuardedBy("lock")
    private final Iterator<? extends Work> files;

    @GuardedBy("lock")
    private final Deque<Work> steps = new ArrayDeque<>();

    /** The next file, which waits for the end of large work; or null. */
    @GuardedBy("lock")
    private Work nextFile;

    private final int mostLarge;

    @GuardedBy("lock")
    private int active;

    /** The part of {@link #active} that is not small. */
    @GuardedBy("lock")
    private int activeLarge;

    /**
     * Creates a queue.
     *
     * @param mostLarge the largest number of units of work that are not small and run at a time
     */
    WorkQueue(Runtime runtime, Iterator<? extends Work> files, int mostLarge) {
        this.changed = runtime.newCondition(lock);
        this.files = files;
        this.mostLarge = mostLarge;
    }

    /**
     * Waits for the next work and returns it. The caller must call {@link #end} after the work. Returns null if there
     * is no work and no running work can add any.
     */
    Work take() throws InterruptedException {
        lock.lock();
        try {
            Work next = poll();
            while (next == null && active > 0) {
                changed.await();
                next = poll();
            }
            if (next != null) {
                active++;
                activeLarge += next.isSmall() ? 0 : 1;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next work that may run now, or null. While nothing runs, all work may run. */
    @GuardedBy("lock")
    private Work poll() {
        boolean hasRoom = activeLarge < mostLarge;
        if (!steps.isEmpty()) {
            return hasRoom ? steps.remove() : null;
        }
        if (nextFile == null && files.hasNext()) {
            nextFile = files.next();
        }
        if (nextFile == null || !(hasRoom || nextFile.isSmall())) {
            return null;
        }
        Work next = nextFile;
        nextFile = null;
        return next;
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
    void end(Work work) {
        lock.lock();
        try {
            active--;
            activeLarge -= work.isSmall() ? 0 : 1;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
