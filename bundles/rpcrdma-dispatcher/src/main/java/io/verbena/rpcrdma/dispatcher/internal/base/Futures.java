package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.runtime.Runtime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Continues futures and waits for them. */
public final class Futures {
    private Futures() {}

    /**
     * Waits for the end of a future. The future does not fail, and what completes the future has a bound of its own.
     *
     * @throws InterruptedException if the calling thread is interrupted
     */
    public static void awaitEnd(Runtime runtime, Future<?> future) throws InterruptedException {
        try {
            runtime.await(future, Long.MAX_VALUE);
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Waits for the end of a future, whatever it ends with. An interrupt does not shorten the wait: the thread is
     * interrupted afterwards.
     *
     * @return false where the future has not ended in time
     */
    public static boolean awaitEndUninterruptibly(Runtime runtime, Future<?> future, long nanos) {
        long begun = runtime.nanoTime();
        boolean interrupted = false;
        while (!future.isDone()) {
            long left = nanos - (runtime.nanoTime() - begun);
            try {
                var unused = runtime.await(future, left);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                break; // it has ended
            } catch (TimeoutException e) {
                if (left <= 0) {
                    break;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return future.isDone();
    }

    /**
     * Runs an action with the outcome of a future. This is the only way to continue a future whose continuation is
     * dropped: a throwable of the continuation is not lost.
     *
     * @param onThrown gets the throwable of the action, and ends what the action did not end; throws nothing itself
     */
    public static <T> void whenDone(
            CompletableFuture<T> future, BiConsumer<? super T, Throwable> action, Consumer<Throwable> onThrown) {
        try {
            CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
                try {
                    action.accept(value, failure);
                } catch (Throwable e) {
                    onThrown.accept(e);
                }
            });
        } catch (Throwable e) { // no memory to register the continuation
            onThrown.accept(e);
        }
    }
}
