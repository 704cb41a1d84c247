package io.verbena.nfs41.client.internal.util;

import io.verbena.runtime.Runtime;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/** Waits that an interrupt does not shorten: the thread is interrupted afterwards. */
public final class Uninterruptible {
    private Uninterruptible() {}

    /** A wait. */
    public interface Wait {
        /**
         * Waits.
         *
         * @param nanos how long at most; zero or less asks without waiting
         * @return whether what is awaited has come
         */
        boolean atMost(long nanos) throws InterruptedException;
    }

    /** Waits, and begins again where the thread is interrupted, with the time that is left. */
    public static boolean await(Runtime runtime, long nanos, Wait wait) {
        long begun = runtime.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.atMost(nanos - (runtime.nanoTime() - begun));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the end of a future, whatever it ends with. Returns whether it has ended. */
    public static boolean awaitEnd(Runtime runtime, long nanos, Future<?> future) {
        return await(runtime, nanos, left -> {
            try {
                var unused = runtime.await(future, left);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException | CancellationException e) {
                return true;
            }
        });
    }
}
