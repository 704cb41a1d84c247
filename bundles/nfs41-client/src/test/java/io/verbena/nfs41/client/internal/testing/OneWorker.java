package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.client.internal.util.Worker;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A worker of one thread, which does its tasks in their order. */
public final class OneWorker implements Worker, AutoCloseable {
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);

    @Override
    public void execute(Runnable task) {
        thread.execute(task);
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return thread.schedule(task, delay, unit);
    }

    /** Waits until the tasks so far are done. */
    public void awaitIdle() throws InterruptedException, ExecutionException, TimeoutException {
        thread.submit(() -> {}).get(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
