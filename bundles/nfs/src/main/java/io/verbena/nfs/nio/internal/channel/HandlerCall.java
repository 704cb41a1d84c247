package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.nio.internal.mount.Futures;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one call of a completion handler, with the outcome of its operation. The handler runs on the executor; where the
 * executor refuses it, on the thread that completes the operation. Thread safe.
 */
final class HandlerCall<T, A> {
    private final CompletionHandler<T, ? super A> handler;
    private final A attachment;
    private final AtomicBoolean isMade = new AtomicBoolean();

    private HandlerCall(A attachment, CompletionHandler<T, ? super A> handler) {
        this.handler = handler;
        this.attachment = attachment;
    }

    static <T, A> void whenDone(
            CompletableFuture<T> result, A attachment, CompletionHandler<T, ? super A> handler, Executor executor) {
        HandlerCall<T, A> call = new HandlerCall<>(attachment, handler);
        Futures.whenDone(result, call::thrown, (value, failure) -> call.hand(executor, value, failure));
    }

    private void hand(Executor executor, T value, Throwable failure) {
        try {
            executor.execute(() -> make(value, failure));
        } catch (Throwable e) {
            if (isMade.get()) { // by an executor that runs tasks on the caller's thread
                throw e;
            }
            make(value, failure);
        }
    }

    private void make(T value, Throwable failure) {
        if (!isMade.compareAndSet(false, true)) {
            return; // the executor has taken it, and has thrown all the same
        }
        if (failure == null) {
            handler.completed(value, attachment);
        } else {
            handler.failed(failure, attachment);
        }
    }

    /** The handler has thrown, or there is no memory to continue the operation. */
    private void thrown(Throwable thrown) {
        if (isMade.get()) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } else {
            make(null, thrown);
        }
    }
}
