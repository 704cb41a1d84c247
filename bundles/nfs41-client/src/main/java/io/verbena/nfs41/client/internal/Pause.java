package io.verbena.nfs41.client.internal;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Lets time pass between two attempts on a thread of the mount's own. */
final class Pause {
    private Pause() {}

    static void millis(long millis) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two attempts");
        }
    }
}
