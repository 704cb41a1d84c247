package io.verbena.nfs41.client.internal.util;

import io.verbena.runtime.Runtime;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Pauses between two attempts on a worker thread of the mount. */
public final class WorkerPause {
    private WorkerPause() {}

    public static void millis(Runtime runtime, long millis) throws InterruptedIOException {
        try {
            runtime.sleep(TimeUnit.MILLISECONDS.toNanos(millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two attempts");
        }
    }
}
