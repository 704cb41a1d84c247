package io.verbena.runtime;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * The end of an object that any thread may close: the first thread closes it, and every other one waits until that is
 * done. The static methods wait for the end of what an object has. An interrupt shortens none of these waits, since
 * what follows them relies on the end: the thread is interrupted again afterwards. A deadline is on the runtime's
 * clock; waits that share a deadline do not add up. Thread safe.
 */
public final class Closing {
    private final Runtime runtime;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile Thread closer;

    public Closing(Runtime runtime) {
        this.runtime = runtime;
    }

    /** A wait with a bound of its own. */
    @FunctionalInterface
    public interface Wait {
        /** Returns whether the end was reached. Called once more after an interrupt. */
        boolean run() throws InterruptedException;
    }

    /**
     * Closes the object, or waits for the thread that does. Returns at once on the thread that closes the object, which
     * a callback may be on.
     *
     * @param work closes the object; runs once
     * @param isAwaited whether the thread that closes the object waits for the calling one, which then does not wait
     * @param deadline the latest end of the wait for the other thread
     * @return false where the other thread has not closed the object by then
     */
    public boolean run(Runnable work, BooleanSupplier isAwaited, long deadline) {
        if (!begun.compareAndSet(false, true)) {
            return Thread.currentThread() == closer || isAwaited.getAsBoolean() || awaitEnd(runtime, ended, deadline);
        }
        closer = Thread.currentThread();
        try {
            work.run();
        } finally {
            closer = null;
            ended.complete(null);
        }
        return true;
    }

    /** The thread that closes the object, for the log; null before and afterwards. */
    public Thread closer() {
        return closer;
    }

    /** Waits for the end of a future, whatever it ends with; false where it has not ended by the deadline. */
    public static boolean awaitEnd(Runtime runtime, Future<?> future, long deadline) {
        return uninterruptibly(() -> {
            try {
                var unused = runtime.await(future, deadline - runtime.nanoTime());
                return true;
            } catch (ExecutionException | CancellationException e) {
                return true;
            } catch (TimeoutException e) {
                return future.isDone();
            }
        });
    }

    /** Waits for the end of a thread; false where it has not ended by the deadline. */
    public static boolean awaitEnd(Runtime runtime, Thread thread, long deadline) {
        return uninterruptibly(() -> runtime.awaitEnd(thread, deadline - runtime.nanoTime()));
    }

    /**
     * Waits for the end of an executor that was shut down, and of its threads.
     *
     * @return false where they have not ended by the deadline, and to a thread of the executor
     */
    public static boolean awaitEnd(Runtime runtime, ExecutorService executor, long deadline) {
        return uninterruptibly(() -> runtime.awaitEnd(executor, deadline - runtime.nanoTime()));
    }

    /** Waits to the end of a wait, interrupted or not. */
    public static boolean uninterruptibly(Wait wait) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.run();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
