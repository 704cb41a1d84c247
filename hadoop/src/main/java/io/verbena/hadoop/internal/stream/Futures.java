package io.verbena.hadoop.internal.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Continues futures so that no Throwable is lost. No other class drops the future that a continuation returns. */
final class Futures {
    private Futures() {}

    /**
     * Calls an action with the outcome; a failure comes without its {@link CompletionException}.
     *
     * @param onThrown receives the Throwable of the action; throws nothing itself
     */
    static <T> void whenDone(
            CompletableFuture<T> future, Consumer<Throwable> onThrown, BiConsumer<T, Throwable> action) {
        CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
            try {
                boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
                action.accept(value, isWrapped ? failure.getCause() : failure);
            } catch (Throwable e) {
                onThrown.accept(e);
            }
        });
    }
}
