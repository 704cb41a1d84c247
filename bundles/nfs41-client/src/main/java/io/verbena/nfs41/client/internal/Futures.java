package io.verbena.nfs41.client.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What {@link CompletableFuture} lacks. */
final class Futures {
    private Futures() {}

    /** Does something with the outcome, its failure without wrappings; for who wants no further future of it. */
    static <T> void whenDone(CompletableFuture<T> future, BiConsumer<? super T, Throwable> action) {
        CompletableFuture<T> unused =
                future.whenComplete((value, thrown) -> action.accept(value, thrown == null ? null : unwrap(thrown)));
    }

    /** What a future failed with, without its wrappings. */
    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Begins something; what is thrown instead is the future's failure. */
    static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> step) {
        try {
            return step.get();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Completes a future of the user's with a value, or with what was thrown. */
    static <T> void complete(CompletableFuture<T> future, T value, Throwable thrown) {
        Blocking.completing(() -> {
            if (thrown == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(thrown);
            }
        });
    }
}
