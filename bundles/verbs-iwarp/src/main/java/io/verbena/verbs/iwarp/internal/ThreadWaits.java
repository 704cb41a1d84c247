package io.verbena.verbs.iwarp.internal;

import io.verbena.runtime.Runtime;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/** Waits for threads of this provider. */
public final class ThreadWaits {
    private ThreadWaits() {}

    /**
     * Waits until another thread has completed a future, which does not fail. The other thread must not depend on the
     * peer: nothing else ends the wait, neither a time limit nor an interruption nor a lack of memory.
     */
    public static void untilDone(Runtime runtime, Future<?> future) {
        boolean interrupted = false;
        while (!future.isDone()) {
            try {
                runtime.await(future, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (TimeoutException | ExecutionException e) {
                throw new IllegalStateException(e);
            } catch (OutOfMemoryError e) {
                Thread.onSpinWait(); // no memory to wait with: looks again
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
