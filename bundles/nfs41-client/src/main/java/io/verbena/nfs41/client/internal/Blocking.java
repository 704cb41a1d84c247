package io.verbena.nfs41.client.internal;

import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures on behalf of callers, and keeps those from it who would wait for themselves. */
final class Blocking {
    private static final ThreadLocal<Boolean> COMPLETING = new ThreadLocal<>();

    private Blocking() {}

    /** Completes a user's future; what is chained to it must not block this thread, the transport's. */
    static void completing(Runnable completion) {
        Boolean before = COMPLETING.get();
        if (before == null) {
            COMPLETING.set(Boolean.TRUE);
        }
        try {
            completion.run();
        } finally {
            if (before == null) {
                COMPLETING.remove(); // nothing of this bundle's stays in a thread that is not its own
            }
        }
    }

    /**
     * @throws IllegalStateException on a thread that completes futures of this client, which would wait for itself
     */
    static <T> T await(CompletableFuture<T> future) throws IOException {
        return await(future, Long.MAX_VALUE);
    }

    static <T> T await(CompletableFuture<T> future, long timeoutNanos) throws IOException {
        if (!future.isDone() && COMPLETING.get() != null) {
            throw new IllegalStateException("a blocking call on the thread that completes calls would wait for itself:"
                    + " use the asynchronous methods there, or an executor");
        }
        try {
            return timeoutNanos == Long.MAX_VALUE ? future.get() : future.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (TimeoutException e) {
            throw new ServerUnavailableException(
                    "no answer within " + Duration.ofNanos(timeoutNanos).toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw asIOException(e.getCause());
        }
    }

    static IOException asIOException(Throwable thrown) {
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
