package io.verbena.nfs41.client.internal.mount;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/**
 * Gives operations up on a thread for that alone. The thread that completes a future from outside may be interrupted,
 * which would close a connection that it sends by, or serve the timers of the whole process; and the worker threads of
 * the mount may all wait for a server. The thread ends when it has had no task for a while.
 */
final class BorrowerThreads implements BorrowingFuture.Threads {
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final ExecutorService thread;

    /** @param prefix of the name of the thread */
    BorrowerThreads(Runtime runtime, String prefix) {
        this.thread = runtime.newExecutor(prefix, 1, IDLE);
    }

    @Override
    public void execute(Runnable task) {
        try {
            thread.execute(task);
        } catch (Throwable e) { // the mount has ended, or there is no memory for the task
            task.run();
        }
    }

    @Override
    public void complete(Runnable completion) {
        Futures.complete(completion);
    }

    /** Takes no more tasks; those that were taken end. */
    void shutdown() {
        thread.shutdown();
    }

    /** Waits for the end of the thread after {@link #shutdown}; returns whether the thread has ended. */
    boolean awaitEnd(Runtime runtime, long nanos) throws InterruptedException {
        return runtime.awaitEnd(thread, nanos);
    }
}
