package io.verbena.nfs41.server.internal.async;

import io.verbena.runtime.Runtime;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Continues futures so that nothing thrown is lost, and waits for futures. No other class drops the future that a
 * continuation returns.
 */
public final class Futures {
    private Futures() {}

    /**
     * Returns the result of a future. Waits for the result if the future has not ended, also if the calling thread is
     * interrupted.
     *
     * @throws CompletionException with the cause, if the future has failed
     */
    public static <T> T join(CompletableFuture<T> future, Runtime runtime) {
        boolean interrupted = false;
        try {
            while (!future.isDone()) {
                try {
                    T unused = runtime.await(future, Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | TimeoutException | CancellationException e) {
                    // getNow() tells
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return future.getNow(null);
    }

    /**
     * Calls an action with the outcome; a failure comes without its {@link CompletionException}.
     *
     * @param onThrown receives the Throwable of the action, and fails the promise that the action would have completed;
     *     throws nothing itself
     */
    public static <T> void whenDone(
            CompletableFuture<T> future, Consumer<Throwable> onThrown, BiConsumer<? super T, Throwable> action) {
        try {
            CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
                try {
                    action.accept(value, failure instanceof CompletionException ? failure.getCause() : failure);
                } catch (Throwable e) {
                    onThrown.accept(e);
                }
            });
        } catch (Throwable e) { // no memory for the continuation
            onThrown.accept(e);
        }
    }
}
