package io.verbena.nfs41.client.internal.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Something that a thread of its own does, and that may be interrupted. */
public final class TestThread {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final Thread thread;

    /** What it does. */
    public interface Action {
        void run() throws Exception;
    }

    private TestThread(Action action) {
        thread = new Thread(() -> {
            try {
                action.run();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
    }

    public static TestThread start(Action action) {
        TestThread started = new TestThread(action);
        started.thread.start();
        return started;
    }

    /** Waits until it waits for somebody, or has ended. */
    public TestThread awaitWaiting() {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (isRunning()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("it does not wait");
            }
            Thread.onSpinWait();
        }
        return this;
    }

    private boolean isRunning() {
        return switch (thread.getState()) {
            case NEW, RUNNABLE, BLOCKED -> true;
            case WAITING, TIMED_WAITING, TERMINATED -> false;
        };
    }

    /** Interrupts it and returns what it threw. */
    public Throwable interrupt() throws InterruptedException {
        thread.interrupt();
        return end();
    }

    /** Waits for its end and returns what it threw, or null. */
    public Throwable end() throws InterruptedException {
        thread.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS));
        if (thread.isAlive()) {
            AssertionError alive = new AssertionError("it has no end");
            alive.setStackTrace(thread.getStackTrace());
            throw alive;
        }
        return thrown.get();
    }
}
