package io.verbena.itests.badpath;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Workers that work on threads of their own until all faults of a path have happened, or one of them has failed. */
final class Workload {
    private final BadPath path;
    private final List<Callable<Void>> workers = new ArrayList<>();
    private final AtomicLong steps = new AtomicLong();
    private volatile boolean failed;

    Workload(BadPath path) {
        this.path = path;
    }

    /** A step of a worker. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    /** Adds a worker that repeats a step. */
    void repeat(Step step) {
        workers.add(() -> {
            while (goesOn()) {
                step.run();
            }
            return null;
        });
    }

    void add(Callable<Void> worker) {
        workers.add(worker);
    }

    /** Whether a worker makes another step; counts it. */
    boolean goesOn() {
        steps.incrementAndGet();
        return !failed && !path.isOver();
    }

    long steps() {
        return steps.get();
    }

    /** Runs all workers to their end. */
    void run(long boundSeconds) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(workers.size());
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (Callable<Void> worker : workers) {
                all.add(threads.submit(() -> call(worker)));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(boundSeconds);
            for (Future<Void> each : all) {
                await(each, end);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Void call(Callable<Void> worker) throws Exception {
        boolean done = false;
        try {
            worker.call();
            done = true;
            return null;
        } finally {
            failed |= !done;
        }
    }

    private void await(Future<Void> worker, long end) throws Exception {
        try {
            worker.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause() + "; " + path, e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a worker does not end; " + path + "\n" + stacks(), e);
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
            for (StackTraceElement frame : thread.getStackTrace()) {
                text.append("\n    at ").append(frame);
            }
            text.append("\n\n");
        }
        return text.toString();
    }
}
