package io.verbena.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * Runs steps that wait, such as the ends of connections, at the same time: all take as long as the longest. Stateless.
 */
public final class SideBySide {
    private SideBySide() {}

    /** A step that may wait. */
    @FunctionalInterface
    public interface Step {
        /** Runs once, on a thread that an interrupt of the caller interrupts as well. */
        void run() throws Exception;
    }

    /**
     * Runs the steps, each on a thread of its own, and returns when all have ended. A step for which no thread can be
     * made runs on the calling thread, and so does a single step.
     *
     * @param prefix of the names of the threads
     * @return what steps have thrown, in the order of the steps
     */
    public static List<Throwable> run(Runtime runtime, String prefix, List<? extends Step> steps) {
        Throwable[] thrown = new Throwable[steps.size()];
        if (steps.size() == 1) {
            run(steps, 0, thrown);
        } else {
            awaitEnd(runtime, start(runtime.threads(prefix), steps, thrown));
        }
        List<Throwable> all = new ArrayList<>();
        for (Throwable each : thrown) {
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    private static List<Thread> start(ThreadFactory factory, List<? extends Step> steps, Throwable[] thrown) {
        List<Thread> threads = new ArrayList<>(steps.size());
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < thrown.length; i++) {
            int number = i;
            try {
                Thread thread = factory.newThread(() -> run(steps, number, thrown));
                thread.start();
                threads.add(thread);
            } catch (Throwable e) { // no memory for a thread
                left.add(number);
            }
        }
        left.forEach(number -> run(steps, number, thrown));
        return threads;
    }

    private static void run(List<? extends Step> steps, int number, Throwable[] thrown) {
        try {
            steps.get(number).run();
        } catch (Throwable e) {
            thrown[number] = e;
        }
    }

    private static void awaitEnd(Runtime runtime, List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            boolean ended = false;
            while (!ended) {
                try {
                    ended = runtime.awaitEnd(thread, Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
