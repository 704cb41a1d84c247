package io.verbena.rpcrdma.dispatcher.internal.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of the transport: a clock thread for timers, and threads for tasks that block, such as connecting and
 * draining. Of calls and replies, only those run on these threads that had to wait for memory.
 */
public final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Runtime runtime;
    private final ScheduledExecutorService clock;
    private final ThreadFactory factory;

    /** Each with whether its task may be interrupted. */
    @GuardedBy("this")
    private final Map<Thread, Boolean> threads = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    public Workers(Runtime runtime) {
        this.runtime = runtime;
        clock = runtime.newScheduler("rpcrdma-clock", 1);
        factory = runtime.threads("rpcrdma-connect");
    }

    /**
     * Runs a short task that does not block, on the clock thread. After {@link #close} the task does not run.
     *
     * @return cancels the task
     */
    public Future<?> schedule(Runnable task, long delayNanos) {
        try {
            return clock.schedule(guarded(task), Math.max(delayNanos, 0), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no clock any more for {}", task);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Runs a short task periodically, on the clock thread. */
    public void repeat(Runnable task, long periodNanos) {
        var unused = clock.scheduleWithFixedDelay(guarded(task), periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Runs a task that may block, on a thread of its own. The thread ends with the task: a thread that waited for
     * further tasks would keep the context reachable in which the thread was made, perhaps of a bundle above.
     *
     * @return false after {@link #close}, and where no thread can be made
     */
    public boolean run(Runnable task) {
        return run(task, true);
    }

    /**
     * As {@link #run}, for a task that may call a program: {@link #close} waits for the task and does not interrupt it.
     * An interrupt would close the channel that the program reads or writes by, for all users of the channel.
     */
    public boolean handle(Runnable task) {
        return run(task, false);
    }

    private boolean run(Runnable task, boolean mayInterrupt) {
        try {
            if (start(guarded(task), mayInterrupt)) {
                return true;
            }
            LOG.debug("no thread any more for {}", task);
            return false;
        } catch (Throwable e) {
            LOG.error("no thread for a task of the RPC-over-RDMA transport: {}", e.toString());
            return false;
        }
    }

    /** Starts a thread; false after {@link #close}, which awaits each thread that was started before. */
    private synchronized boolean start(Runnable task, boolean mayInterrupt) {
        if (closed) {
            return false;
        }
        Thread thread = factory.newThread(task);
        thread.start();
        threads.keySet().removeIf(this::hasEnded);
        threads.put(thread, mayInterrupt);
        return true;
    }

    private boolean hasEnded(Thread thread) {
        return Closing.awaitEnd(runtime, thread, runtime.nanoTime()); // asks without waiting
    }

    /**
     * Runs tasks side by side, one of them on the calling thread, and waits for all of them. The tasks may block. The
     * wait goes on if a task throws, or if the calling thread is interrupted: the caller is about to remove a service
     * that the tasks use.
     */
    public void together(List<Runnable> tasks) {
        List<Future<Void>> others = new ArrayList<>();
        for (Runnable task : tasks.subList(Math.min(1, tasks.size()), tasks.size())) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            Runnable ending = () -> {
                try {
                    task.run();
                } finally {
                    ended.complete(null);
                }
            };
            others.add(ended);
            if (!run(ending)) {
                guarded(ending).run();
            }
        }
        if (!tasks.isEmpty()) {
            guarded(tasks.get(0)).run();
        }
        awaitUninterruptibly(others);
    }

    /** Waits for the end of tasks, each of which has a bound of its own. */
    private void awaitUninterruptibly(List<Future<Void>> tasks) {
        for (Future<Void> task : tasks) {
            Futures.awaitEnd(runtime, task);
        }
    }

    /** Logs the throwable of a task, whose future is dropped. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) { // otherwise a periodic task would not run again
                LOG.error("a task of the RPC-over-RDMA transport failed", e);
            }
        };
    }

    /** Interrupts the threads, except those of {@link #handle}, and waits for the end of all, for some seconds. */
    @Override
    public void close() {
        Map<Thread, Boolean> left;
        synchronized (this) {
            closed = true;
            left = new HashMap<>(threads);
        }
        clock.shutdownNow();
        left.forEach((thread, mayInterrupt) -> {
            if (mayInterrupt) {
                thread.interrupt();
            }
        });
        long deadline = runtime.nanoTime() + CLOSE_NANOS;
        if (!Closing.awaitEnd(runtime, clock, deadline)) {
            LOG.warn("the clock did not end in time");
        }
        for (Thread thread : left.keySet()) {
            if (thread != Thread.currentThread() && !Closing.awaitEnd(runtime, thread, deadline)) {
                LOG.warn("{} did not end in time", thread.getName());
            }
        }
    }
}
