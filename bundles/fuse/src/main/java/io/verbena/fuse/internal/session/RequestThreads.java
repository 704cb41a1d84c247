package io.verbena.fuse.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of requests: as many as run at once, up to a bound. A thread that is idle is used again before another
 * one is made, so that a single program has a single thread. Requests beyond the bound wait, at most one for each
 * thread of a program. So do those for which the host gives no thread. Thread safe.
 */
final class RequestThreads implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(RequestThreads.class);
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final Runtime runtime;
    private final ExecutorService threads;
    private final int bound;
    private final boolean endSoon;

    @GuardedBy("this")
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean ending;

    /** @param endSoon whether each task ends soon: then one waits for a thread where the host gives no further one */
    RequestThreads(Runtime runtime, String prefix, int bound, boolean endSoon) {
        this.runtime = runtime;
        this.threads = runtime.newExecutor(prefix, IDLE);
        this.bound = bound;
        this.endSoon = endSoon;
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (ending) {
            throw new RejectedExecutionException("the mount has ended");
        }
        if (running == bound) {
            waiting.add(task);
            return;
        }
        try {
            threads.execute(() -> runFrom(task));
            running++;
        } catch (Throwable e) { // the host gives no thread
            if (!endSoon || running == 0) {
                throw e;
            }
            waiting.add(task);
        }
    }

    private void runFrom(Runnable first) {
        for (Runnable task = first; task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable e) {
                tell(e);
            }
        }
    }

    private static void tell(Throwable failure) {
        try {
            LOG.warn("a task of a mount has failed: {}", failure.toString(), failure);
        } catch (Throwable e) {
            // there is no memory to tell it: the thread goes on all the same
        }
    }

    /** The next task for a thread, or null: the thread counts no more then. */
    private synchronized Runnable next() {
        Runnable next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }

    /** Takes no more tasks, and waits for those that there are. Returns false if the time was over before. */
    boolean end(long timeoutNanos) throws InterruptedException {
        boolean isIdle;
        synchronized (this) {
            ending = true;
            isIdle = waiting.isEmpty();
        }
        if (isIdle) {
            threads.shutdown();
        }
        return runtime.awaitEnd(threads, timeoutNanos);
    }

    /** Drops the tasks that wait, and interrupts those that run. */
    void endNow() {
        synchronized (this) {
            ending = true;
            waiting.clear();
        }
        threads.shutdownNow();
    }
}
