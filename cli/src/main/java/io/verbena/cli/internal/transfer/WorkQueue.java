package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The files of a copy that wait for a worker, and the steps of those that have begun, which come first: so few files are
 * half done at a time. Thread safe.
 */
final class WorkQueue {
    /** Something for a worker to do. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    // all guarded by this
    private final Iterator<? extends Work> files;
    private final Deque<Work> steps = new ArrayDeque<>();
    private int active;

    WorkQueue(Iterator<? extends Work> files) {
        this.files = files;
    }

    /** The next work, which {@link #end} has to follow; null when there is none and none will come. */
    synchronized Work take() throws InterruptedException {
        while (steps.isEmpty() && !files.hasNext() && active > 0) {
            wait();
        }
        Work next = !steps.isEmpty() ? steps.remove() : files.hasNext() ? files.next() : null;
        if (next != null) {
            active++;
        }
        return next;
    }

    synchronized void add(List<? extends Work> more) {
        steps.addAll(more);
        notifyAll();
    }

    /** Work is done, well or not. */
    synchronized void end() {
        active--;
        notifyAll();
    }
}
