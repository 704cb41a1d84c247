package io.verbena.nfs41.client.internal.util;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Continuations of {@link CompletableFuture} that lose no exception. Other classes must not drop the future that a
 * continuation returns.
 */
public final class Futures {
    private static final Logger LOG = LoggerFactory.getLogger(Futures.class);

    private Futures() {}

    /**
     * Runs an action with the outcome of a future, with its failure unwrapped.
     *
     * @param promise fails with what the action throws
     */
    public static <T> void whenDone(
            CompletableFuture<T> future, CompletableFuture<?> promise, BiConsumer<? super T, Throwable> action) {
        whenDoneElse(future, action, thrown -> fail(promise, thrown));
    }

    /**
     * As {@link #whenDone}, with a handler in place of a promise.
     *
     * @param onThrown gets what the action throws, and releases what the action has not released
     */
    public static <T> void whenDoneElse(
            CompletableFuture<T> future, BiConsumer<? super T, Throwable> action, Consumer<Throwable> onThrown) {
        try {
            CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
                try {
                    action.accept(value, failure == null ? null : unwrap(failure));
                } catch (Throwable e) {
                    tell(onThrown, e);
                }
            });
        } catch (Throwable e) { // for example no memory for the continuation
            tell(onThrown, e);
        }
    }

    /**
     * As {@link #whenDoneElse}, where nothing waits for the action and nothing is held: logs what the action throws.
     */
    public static <T> void whenDoneLogged(CompletableFuture<T> future, BiConsumer<? super T, Throwable> action) {
        whenDoneElse(future, action, thrown -> LOG.warn("a continuation failed: {}", thrown, thrown));
    }

    private static void tell(Consumer<Throwable> onThrown, Throwable thrown) {
        try {
            onThrown.accept(thrown);
        } catch (Throwable e) {
            LOG.warn("the end of what failed with {} failed too", thrown, e);
        }
    }

    /** The failure of a future without the wrapping {@link CompletionException}s. */
    public static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Calls a step that returns a future; what the step throws becomes the failure of the future. */
    public static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> step) {
        try {
            return step.get();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Runs the completion of a user's future, which has no effect the second time. */
    public static void complete(Runnable completion) {
        try {
            Blocking.completing(completion);
        } catch (Throwable e) {
            completion.run();
        }
    }

    /** Completes a user's future with a value, or with a failure where {@code thrown} is not null. */
    public static <T> void complete(CompletableFuture<T> future, T value, Throwable thrown) {
        if (thrown != null) {
            fail(future, thrown);
            return;
        }
        try {
            Blocking.completing(() -> future.complete(value));
        } catch (Throwable e) {
            future.complete(value);
        }
    }

    /** Fails a user's future. */
    public static void fail(CompletableFuture<?> future, Throwable thrown) {
        try {
            Blocking.completing(() -> future.completeExceptionally(thrown));
        } catch (Throwable e) {
            future.completeExceptionally(thrown);
        }
    }
}
