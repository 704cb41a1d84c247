package io.verbena.cli.internal.transfer;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies files and trees as {@code cp -r} does: several files at a time, with their modes and times of modification,
 * symbolic links as such. Where a mount is replaced it goes on with the next one. The first failure ends all of it. The
 * threads end with the copy.
 */
public final class Copy {
    private static final int WORKERS = 4;
    private static final long WORKERS_END_SECONDS = 60;
    private static final AtomicInteger WORKER_NUMBERS = new AtomicInteger();

    private final CopyPlan plan;
    private final FileCopy fileCopy;
    private final AtomicLong octets = new AtomicLong();

    private Copy(CopyPlan plan, boolean force) {
        this.plan = plan;
        this.fileCopy = new FileCopy(new BufferPool(), force);
    }

    /**
     * Copies.
     *
     * @param recursive whether directories are copied
     * @param force whether files are replaced that may not be written
     */
    public static Summary run(List<Location> sources, Location target, boolean recursive, boolean force)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        CopyPlan plan = CopyPlan.of(sources, target, recursive);
        Copy copy = new Copy(plan, force);
        copy.run();
        return new Summary(
                plan.files().size(),
                copy.octets.get(),
                System.nanoTime() - start,
                replacements(sources, target),
                plan.skipped());
    }

    /** Counts each mount once that has taken another's place, however many of the files are on it. */
    private static int replacements(List<Location> sources, Location target) {
        Set<Mount> mounts = Collections.newSetFromMap(new IdentityHashMap<>());
        mounts.addAll(target.successors());
        sources.forEach(source -> mounts.addAll(source.successors()));
        return mounts.size();
    }

    private void run() throws IOException, InterruptedException {
        for (CopyPlan.Item directory : plan.directories()) {
            if (directory.isFresh()) {
                directory.to().createDirectory();
            }
        }
        copyFiles();
        // children first: to write into a directory changes its time, and its mode may forbid to
        List<CopyPlan.Item> made = new ArrayList<>(plan.directories());
        Collections.reverse(made);
        for (CopyPlan.Item directory : made) {
            if (directory.isFresh()) {
                directory
                        .to()
                        .setAttributes(directory.node().mode(), directory.node().modified());
            }
        }
    }

    private void copyFiles() throws IOException, InterruptedException {
        Queue<CopyPlan.Item> queue = new ConcurrentLinkedQueue<>(plan.files());
        int workers = Math.min(WORKERS, queue.size());
        ExecutorService executor = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "verbena-copy-" + WORKER_NUMBERS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        try {
            ExecutorCompletionService<Object> completions = new ExecutorCompletionService<>(executor);
            for (int i = 0; i < workers; i++) {
                completions.submit(() -> work(queue));
            }
            for (int i = 0; i < workers; i++) {
                completions.take().get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io
                    ? io
                    : new IOException(e.getCause().toString(), e.getCause());
        } finally {
            end(executor);
        }
    }

    /** Interrupts what still runs, and waits for it to tidy up, whoever interrupts this thread meanwhile once more. */
    private static void end(ExecutorService executor) {
        boolean interrupted = Thread.interrupted();
        executor.shutdownNow();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WORKERS_END_SECONDS);
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

    private Object work(Queue<CopyPlan.Item> queue) throws IOException, InterruptedException {
        for (CopyPlan.Item item = queue.poll(); item != null; item = queue.poll()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (item.node().isSymbolicLink()) {
                copyLink(item);
            } else {
                octets.addAndGet(fileCopy.copy(item.from(), item.node(), item.to(), item.isFresh()));
            }
        }
        return null;
    }

    private static void copyLink(CopyPlan.Item item) throws IOException {
        String target = item.from().readLink();
        if (!item.isFresh()
                && item.to().find(false).filter(node -> !node.isDirectory()).isPresent()) {
            item.to().remove();
        }
        item.to().createSymbolicLink(target);
    }
}
