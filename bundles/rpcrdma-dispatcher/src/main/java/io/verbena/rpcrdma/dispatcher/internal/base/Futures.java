package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Continues futures and waits for them. */
public final class Futures {
    private Futures() {}

    /**
     * Waits for the end of a future, which has a bound of its own. An interrupt does not shorten the wait: the thread
     * is interrupted afterwards.
     */
    public static void awaitEnd(Runtime runtime, Future<?> future) {
        boolean unused = Closing.awaitEnd(runtime, future, runtime.nanoTime() + Long.MAX_VALUE);
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
