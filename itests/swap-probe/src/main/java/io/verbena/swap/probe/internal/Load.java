package io.verbena.swap.probe.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Work that a thread of its own repeats while bundles are replaced. */
abstract class Load {
    private final Thread thread;
    private volatile boolean stopping;

    @GuardedBy("this")
    private Throwable failure;

    @GuardedBy("this")
    private long steps;

    Load(String name) {
        thread = new Thread(this::work, "swap-probe-" + name);
        thread.setDaemon(true);
    }

    final void start() {
        thread.start();
    }

    private void work() {
        try {
            while (!stopping) {
                step();
                synchronized (this) {
                    steps++;
                    notifyAll();
                }
            }
        } catch (Throwable e) {
            synchronized (this) {
                failure = e;
                notifyAll();
            }
        }
    }

    /** One step of the work. */
    abstract void step() throws Exception;

    final synchronized long steps() {
        return steps;
    }

    /** Waits until {@code number} steps were made in total. */
    final synchronized void awaitSteps(long number, long seconds) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (steps < number) {
            check();
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(thread.getName() + " has made no progress for " + seconds + " s, at "
                        + Arrays.toString(thread.getStackTrace()));
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** @throws IllegalStateException where the work has failed */
    final synchronized void check() {
        if (failure != null) {
            throw new IllegalStateException(
                    thread.getName() + " failed after " + steps + " steps: " + failure, failure);
        }
    }

    /** Ends the work after the current step, which may take {@code seconds}. */
    final void stop(long seconds) throws InterruptedException {
        stopping = true;
        thread.join(TimeUnit.SECONDS.toMillis(seconds));
        if (thread.isAlive()) {
            throw new IllegalStateException(
                    thread.getName() + " does not end, at " + Arrays.toString(thread.getStackTrace()));
        }
        check();
    }
}
