package io.verbena.rpcrdma.dispatcher.internal;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The component's own threads: one that watches the clock, and some that connect. Calls never pass through them. */
final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

    private static final int CLOSE_SECONDS = 10;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor clock;
    private final ExecutorService connectors;

    Workers() {
        clock = new ScheduledThreadPoolExecutor(1, named("rpcrdma-clock"));
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        // no thread waits for further work: it would hold on to the context that it was made in, of a bundle above
        // perhaps
        connectors = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), named("rpcrdma-connect"));
    }

    private ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory plain = Executors.defaultThreadFactory();
        return task -> {
            Thread thread = plain.newThread(task);
            thread.setName(name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            threads.removeIf(old -> old.getState() == Thread.State.TERMINATED);
            threads.add(thread);
            return thread;
        };
    }

    /**
     * Runs a short task that does not block, some time from now; not at all once this is closed.
     *
     * @return what cancels it
     */
    Future<?> schedule(Runnable task, long delayNanos) {
        try {
            return clock.schedule(guarded(task), Math.max(delayNanos, 0), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no clock any more for {}", task);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Runs a short task again and again. */
    void repeat(Runnable task, long periodNanos) {
        var unused = clock.scheduleWithFixedDelay(guarded(task), periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Runs a task that may block.
     *
     * @return false once this is closed
     */
    boolean run(Runnable task) {
        try {
            connectors.execute(guarded(task));
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("no thread any more for {}", task);
            return false;
        }
    }

    /**
     * Runs tasks that may block side by side, one of them on this thread, and waits until all are done, whatever comes:
     * who calls this is about to take something away that they use.
     */
    void together(List<Runnable> tasks) {
        CountDownLatch others = new CountDownLatch(Math.max(0, tasks.size() - 1));
        for (int i = 1; i < tasks.size(); i++) {
            Runnable task = tasks.get(i);
            Runnable counted = () -> {
                try {
                    task.run();
                } finally {
                    others.countDown();
                }
            };
            if (!run(counted)) {
                guarded(counted).run();
            }
        }
        if (!tasks.isEmpty()) {
            guarded(tasks.get(0)).run();
        }
        awaitUninterruptibly(others);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells of what a task fails with: nobody looks at its future. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("a task of the RPC-over-RDMA transport failed", e);
            }
        };
    }

    /** Ends the threads and waits until they are gone. */
    @Override
    public void close() {
        clock.shutdownNow();
        connectors.shutdownNow();
        threads.forEach(this::join);
    }

    private void join(Thread thread) {
        if (thread == Thread.currentThread()) {
            return;
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
            if (thread.isAlive()) {
                LOG.warn("{} did not end in time", thread.getName());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
