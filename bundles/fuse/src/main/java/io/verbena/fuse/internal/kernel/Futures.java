package io.verbena.fuse.internal.kernel;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Continues futures so that no Throwable is lost. No other class drops the future that a continuation returns. */
public final class Futures {
    private Futures() {}

    /**
     * Calls an action with the outcome; a failure comes without its {@link CompletionException}.
     *
     * @param onThrown receives the Throwable of the action, and ends what the action would have ended; throws nothing
     *     itself
     */
    public static <T> void whenDone(
            CompletableFuture<T> future, Consumer<Throwable> onThrown, BiConsumer<? super T, Throwable> action) {
        try {
            CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
                try {
                    action.accept(value, unwrap(failure));
                } catch (Throwable e) {
                    onThrown.accept(e);
                }
            });
        } catch (Throwable e) { // no memory for the continuation
            onThrown.accept(e);
        }
    }

    /** The failure itself, where a future has wrapped it. */
    public static Throwable unwrap(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
