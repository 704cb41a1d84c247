package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the files of a plan on worker threads, several files at a time and large files in parts. The threads end
 * before {@link #run} returns.
 */
public final class Workers implements FileWork.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

    private static final long END_SECONDS = 60;

    /** The largest number of errors of the runtime while the workers are waited for. */
    private static final int MAX_ERRORS = 3;

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Receives what became of files, on the threads of the workers. */
    interface Results {
        void failed(CopyPlan.Item item, CopyFailure failure);

        void done(CopyStep step);
    }

    private final CopyContext context;
    private final Results results;
    private final Runnable tick;
    private final WorkQueue queue;
    private final int workers;
    private final Set<FileWork> begun = ConcurrentHashMap.newKeySet();

    /**
     * Creates the workers.
     *
     * @param requests the number of requests that source and target take at a time, which is the number of small files
     *     that are copied at a time unless the options set one; 0 if it is not known
     * @param results receives what became of each file
     * @param tick called repeatedly by the thread that waits for the workers
     */
    public Workers(
            CopyContext context,
            CopyEvents events,
            Iterator<CopyPlan.Item> items,
            int requests,
            Results results,
            Runnable tick) {
        this.context = context;
        this.results = results;
        this.tick = tick;
        Iterator<FileWork> files = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public FileWork next() {
                FileWork work = new FileWork(context, events, items.next(), Workers.this);
                begun.add(work);
                return work;
            }
        };
        int jobs = context.options.jobs();
        this.queue = new WorkQueue(context.runtime, files, jobs);
        this.workers = context.options.hasJobs() ? jobs : Math.max(jobs, Math.min(requests, CopyOptions.MAX_JOBS));
    }

    @Override
    public void add(List<? extends WorkQueue.Work> steps) {
        queue.add(steps);
    }

    @Override
    public void end(FileWork work) {
        begun.remove(work);
    }

    @Override
    public void fail(CopyPlan.Item item, CopyFailure failure) {
        results.failed(item, failure);
    }

    @Override
    public void done(CopyStep step) {
        results.done(step);
    }

    /** Copies all files and waits until they are complete. A fatal failure ends the copy. */
    public void run() throws IOException, InterruptedException {
        ExecutorService executor = context.runtime.newExecutor("verbena-copy", Duration.ZERO);
        try {
            await(executor, workers);
        } catch (Throwable e) { // includes an Error, such as a thread that cannot be created
            end(executor);
            Exception reason = e instanceof Exception known ? known : new IOException(e.toString(), e);
            begun.forEach(work -> work.giveUp(reason));
            throw e;
        } finally {
            executor.shutdown();
        }
    }

    private void await(ExecutorService executor, int workers) throws IOException, InterruptedException {
        CompletableFuture<Void> ended = new CompletableFuture<>(); // of all workers, or of the first failure
        AtomicInteger left = new AtomicInteger(workers);
        for (int i = 0; i < workers; i++) {
            executor.execute(() -> {
                try {
                    work();
                    if (left.decrementAndGet() == 0) {
                        ended.complete(null);
                    }
                } catch (Throwable e) {
                    ended.completeExceptionally(e);
                }
            });
        }
        boolean over = false;
        while (!over) {
            try {
                context.runtime.await(ended, TICK_NANOS);
                over = true;
            } catch (TimeoutException e) {
                LOG.trace("{} workers are at work", left);
            } catch (ExecutionException e) {
                throw rethrown(e.getCause());
            }
            tick.run();
        }
    }

    private static IOException rethrown(Throwable cause) throws IOException, InterruptedException {
        if (cause instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        return cause instanceof IOException io ? io : new IOException(cause.toString(), cause);
    }

    private void work() throws IOException, InterruptedException {
        for (WorkQueue.Work work = queue.take(); work != null; work = queue.take()) {
            try {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                work.run();
            } finally {
                queue.end(work);
            }
        }
    }

    /**
     * Interrupts the running workers, and waits for them to clean up, even if this thread is interrupted again
     * meanwhile.
     */
    private void end(ExecutorService executor) {
        boolean interrupted = Thread.interrupted();
        executor.shutdownNow();
        OptionalLong begun = now();
        boolean waiting = true;
        for (int errors = 0; waiting && errors < MAX_ERRORS; ) {
            try {
                OptionalLong now = begun.isPresent() ? now() : begun;
                long passed = now.isPresent() ? now.getAsLong() - begun.getAsLong() : 0; // without a clock: one wait
                long left = TimeUnit.SECONDS.toNanos(END_SECONDS) - passed;
                waiting = !context.runtime.awaitEnd(executor, left) && now.isPresent() && left > 0;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (Throwable e) { // an Error, which must not end the wait: workers still write
                errors++;
                LOG.warn("the wait for the workers of a copy has failed", e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the time in nanoseconds; empty if the clock fails. */
    private OptionalLong now() {
        try {
            return OptionalLong.of(context.runtime.nanoTime());
        } catch (Throwable e) {
            LOG.warn("the clock of a copy has failed", e);
            return OptionalLong.empty();
        }
    }
}
