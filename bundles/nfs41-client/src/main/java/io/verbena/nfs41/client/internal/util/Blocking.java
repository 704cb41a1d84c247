package io.verbena.nfs41.client.internal.util;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Waits for futures on the caller's thread. Refuses to wait on a thread that completes futures: the wait would never
 * end.
 */
public final class Blocking {
    private static final ThreadLocal<Boolean> COMPLETING = new ThreadLocal<>();

    private Blocking() {}

    /**
     * Completes a user's future. Continuations run on this thread, usually the receive thread, and must not block it.
     */
    static void completing(Runnable completion) {
        Boolean before = COMPLETING.get();
        if (before == null) {
            COMPLETING.set(Boolean.TRUE);
        }
        try {
            completion.run();
        } finally {
            if (before == null) {
                COMPLETING.remove(); // a foreign thread keeps no object of this bundle
            }
        }
    }

    /**
     * Waits for the end of a future.
     *
     * @throws IllegalStateException on a thread that completes futures of this client: the thread would wait for itself
     */
    public static <T> T await(Runtime runtime, CompletableFuture<T> future) throws IOException {
        return await(runtime, future, Long.MAX_VALUE);
    }

    /**
     * As above, with a time-out. A thread that stops to wait gives up an operation that borrows a buffer, and gets the
     * buffer back: see {@link BorrowingFuture}.
     *
     * @throws ServerUnavailableException where the future has not ended by then
     */
    public static <T> T await(Runtime runtime, CompletableFuture<T> future, long timeoutNanos) throws IOException {
        if (!future.isDone()) {
            requireMayWait();
        }
        try {
            return runtime.await(future, timeoutNanos);
        } catch (InterruptedException e) {
            try {
                giveUp(runtime, future);
            } finally {
                Thread.currentThread().interrupt();
            }
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (TimeoutException e) {
            giveUp(runtime, future);
            throw late(timeoutNanos, e);
        } catch (ExecutionException e) {
            throw asIOException(e.getCause());
        }
    }

    /**
     * Waits for the end of a future that borrows no buffer. An interrupt does not shorten the wait: the thread is
     * interrupted afterwards.
     *
     * @throws IllegalStateException as {@link #await(Runtime, CompletableFuture)}
     * @throws ServerUnavailableException where the future has not ended by then
     */
    public static <T> T awaitUninterruptibly(Runtime runtime, CompletableFuture<T> future, long timeoutNanos)
            throws IOException {
        if (!future.isDone()) {
            requireMayWait();
        }
        if (!Uninterruptible.awaitEnd(runtime, timeoutNanos, future)) {
            throw late(timeoutNanos, null);
        }
        try {
            return future.getNow(null);
        } catch (CompletionException e) {
            throw asIOException(e);
        }
    }

    private static ServerUnavailableException late(long timeoutNanos, Throwable cause) {
        return new ServerUnavailableException(
                "no answer within " + Duration.ofNanos(timeoutNanos).toMillis() + " ms", cause);
    }

    /** Whether this thread completes a user's future. It must not wait for anybody. */
    public static boolean isCompleting() {
        return COMPLETING.get() != null;
    }

    /**
     * Checks that this thread may wait, before a call begins that uses a buffer of its caller.
     *
     * @throws IllegalStateException on a thread that completes futures of this client
     */
    public static void requireMayWait() {
        if (isCompleting()) {
            throw new IllegalStateException("a blocking call on the thread that completes calls would wait for itself:"
                    + " use the asynchronous methods there, or an executor");
        }
    }

    /** Gives an operation up that borrows a buffer, and waits until nothing uses the buffer any more. */
    private static void giveUp(Runtime runtime, CompletableFuture<?> operation) {
        if (!(operation instanceof BorrowingFuture<?>)) {
            return;
        }
        operation.cancel(false);
        boolean interrupted = false;
        while (!operation.isDone()) {
            try {
                runtime.await(operation, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted = true; // the buffer comes first
            } catch (ExecutionException | CancellationException e) {
                break; // which is the end
            } catch (TimeoutException e) {
                throw new IllegalStateException(e); // after 292 years
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    public static IOException asIOException(Throwable thrown) {
        Throwable cause = Futures.unwrap(thrown);
        if (cause instanceof IOException e) {
            return e;
        }
        if (cause instanceof RuntimeException e) {
            throw e;
        }
        if (cause instanceof Error e) {
            throw e;
        }
        return new IOException(cause);
    }
}
