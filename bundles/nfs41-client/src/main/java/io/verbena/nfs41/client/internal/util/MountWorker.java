package io.verbena.nfs41.client.internal.util;

import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The worker threads of one mount. A thread that has had no task for a while ends, so that an idle mount has none; the
 * timer that all mounts share starts tasks that are due. Thread safe.
 */
public final class MountWorker implements Worker {
    private static final int THREADS = 3;
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** After no thread could be made, a task that is due is tried again so much later. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Runtime runtime;
    private final ExecutorService threads;
    private final Set<Delayed> delayed = ConcurrentHashMap.newKeySet();

    /** @param prefix of the names of the threads */
    public MountWorker(Runtime runtime, String prefix) {
        this.runtime = runtime;
        this.threads = runtime.newExecutor(prefix, THREADS, IDLE);
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        Delayed later = new Delayed(task);
        delayed.add(later);
        boolean isStarted = false;
        try {
            later.startAfter(unit.toNanos(delay));
            isStarted = !threads.isShutdown(); // that may have come meanwhile
        } finally {
            if (!isStarted) {
                later.cancel(false);
            }
        }
        if (!isStarted) {
            throw new RejectedExecutionException("the mount has ended");
        }
        return later;
    }

    /** A task that waits for its time. */
    private final class Delayed extends FutureTask<Void> {
        private volatile Future<?> timer;

        Delayed(Runnable task) {
            super(task, null);
        }

        void startAfter(long nanos) {
            timer = runtime.runLater(this::hand, nanos);
            if (isDone()) {
                done();
            }
        }

        /** Hands the task to a worker thread. The shared timer calls this. */
        private void hand() {
            try {
                threads.execute(this);
            } catch (RejectedExecutionException e) {
                cancel(false);
            } catch (Throwable e) { // for example no thread could be made
                startAfter(AGAIN_NANOS);
            }
        }

        @Override
        protected void done() {
            delayed.remove(this);
            Future<?> set = timer;
            if (set != null) {
                set.cancel(false);
            }
        }
    }

    /** Interrupts what runs, and drops what waits. */
    public void shutdownNow() {
        threads.shutdownNow();
        delayed.forEach(each -> each.cancel(true));
    }

    /** Waits for the end of the threads after {@link #shutdownNow}; returns whether they have ended. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return runtime.awaitEnd(threads, nanos);
    }
}
