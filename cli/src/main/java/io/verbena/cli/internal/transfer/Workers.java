package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Copies the files of a plan, several at a time and large ones in parts; the threads end with {@link #run}. */
final class Workers implements FileWork.Owner {
    private static final long END_SECONDS = 60;
    private static final long TICK_MILLIS = 100;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final CopyContext context;
    private final Consumer<Failure> failures;
    private final Runnable tick;
    private final WorkQueue queue;
    private final Set<FileWork> begun = ConcurrentHashMap.newKeySet();

    /**
     * @param failures takes those of files, from any thread
     * @param tick called by the thread that waits, again and again
     */
    Workers(CopyContext context, Iterator<CopyPlan.Item> items, Consumer<Failure> failures, Runnable tick) {
        this.context = context;
        this.failures = failures;
        this.tick = tick;
        this.queue = new WorkQueue(new Iterator<FileWork>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public FileWork next() {
                FileWork work = new FileWork(context, items.next(), Workers.this);
                begun.add(work);
                return work;
            }
        });
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
    public void fail(Failure failure) {
        failures.accept(failure);
    }

    /** Copies all, and waits for it; what failed and is fatal ends it. */
    void run() throws IOException, InterruptedException {
        ExecutorService executor = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "verbena-copy-" + NUMBERS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        try {
            await(executor, context.options.jobs());
        } catch (IOException | InterruptedException | RuntimeException e) {
            end(executor);
            begun.forEach(work -> work.giveUp(e));
            throw e;
        } finally {
            executor.shutdown();
        }
    }

    private void await(ExecutorService executor, int workers) throws IOException, InterruptedException {
        ExecutorCompletionService<Object> completions = new ExecutorCompletionService<>(executor);
        for (int i = 0; i < workers; i++) {
            completions.submit(this::work);
        }
        try {
            int left = workers;
            while (left > 0) {
                Future<Object> ended = completions.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
                tick.run();
                if (ended != null) {
                    ended.get();
                    left--;
                }
            }
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static IOException rethrown(Throwable cause) throws IOException, InterruptedException {
        if (cause instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        return cause instanceof IOException io ? io : new IOException(cause.toString(), cause);
    }

    private Object work() throws IOException, InterruptedException {
        for (WorkQueue.Work work = queue.take(); work != null; work = queue.take()) {
            try {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                work.run();
            } finally {
                queue.end();
            }
        }
        return null;
    }

    /** Interrupts what still runs, and waits for it to tidy up, whoever interrupts this thread meanwhile once more. */
    private static void end(ExecutorService executor) {
        boolean interrupted = Thread.interrupted();
        executor.shutdownNow();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        boolean waiting = true;
        while (waiting) {
            try {
                waiting = !executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
                        && System.nanoTime() - deadline < 0;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
