package io.verbena.openmetrics.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads for the exchanges of the HTTP server, each with a time limit. The server reads and writes by blocking
 * channels; an interrupt closes the channel, so that a peer that sends or takes nothing occupies a thread no longer.
 */
final class TimedWorkers implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(TimedWorkers.class);
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Runtime runtime;
    private final ExecutorService workers;
    private final ScheduledExecutorService timer;
    private final AtomicInteger taken = new AtomicInteger();
    private final int most;
    private final long limitNanos;

    /**
     * Creates an executor without a thread as yet.
     *
     * @param threads the most exchanges that run at once
     * @param most the most exchanges that run or wait; others are rejected
     * @param limit the time limit of an exchange
     */
    TimedWorkers(Runtime runtime, int threads, int most, Duration limit) {
        this.runtime = runtime;
        this.most = most;
        this.limitNanos = limit.toNanos();
        this.workers = runtime.newExecutor("verbena-openmetrics", threads, IDLE);
        this.timer = runtime.newScheduler("verbena-openmetrics-timer", 1);
    }

    @Override
    public void execute(Runnable exchange) {
        if (taken.incrementAndGet() > most) {
            taken.decrementAndGet();
            throw new RejectedExecutionException("more than " + most + " exchanges at once");
        }
        try {
            workers.execute(() -> run(exchange));
        } catch (RuntimeException | Error e) {
            taken.decrementAndGet();
            throw e;
        }
    }

    private void run(Runnable exchange) {
        Limit limit = new Limit(Thread.currentThread());
        try {
            ScheduledFuture<?> end = timer.schedule(limit, limitNanos, TimeUnit.NANOSECONDS);
            try {
                exchange.run();
            } finally {
                end.cancel(false);
            }
        } finally {
            limit.pass();
            taken.decrementAndGet();
        }
    }

    /** The end of one exchange's time. */
    private static final class Limit implements Runnable {
        @GuardedBy("this")
        private Thread worker;

        Limit(Thread worker) {
            this.worker = worker;
        }

        @Override
        public synchronized void run() {
            if (worker != null) {
                worker.interrupt();
            }
        }

        /** The exchange is over: its thread goes on to another one. */
        synchronized void pass() {
            worker = null;
            Thread.interrupted();
        }
    }

    /** Ends the threads, and waits for their end for a bounded time. */
    void close() {
        timer.shutdownNow();
        workers.shutdownNow();
        try {
            if (!runtime.awaitEnd(workers, END_NANOS)) {
                LOG.warn("a thread of the metrics endpoint hangs, and is left behind");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
