package io.verbena.nfs41.client.internal.util;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The worker threads of a mount, as those see them who have tasks for them. */
public interface Worker extends Executor {
    /**
     * Runs a task after a delay.
     *
     * @return cancels the task
     * @throws java.util.concurrent.RejectedExecutionException where the mount has ended
     */
    Future<?> schedule(Runnable task, long delay, TimeUnit unit);
}
