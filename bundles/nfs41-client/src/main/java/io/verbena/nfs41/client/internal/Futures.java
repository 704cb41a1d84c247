package io.verbena.nfs41.client.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

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
}
