package io.verbena.nfs41.client.internal;

/** How long to wait before something is tried again: twice as long each time. */
final class Retry {
    private static final long FIRST_MILLIS = 20;
    private static final long LAST_MILLIS = 5_000;

    private final long startedNanos = System.nanoTime();
    private int attempts;

    long nextDelayMillis() {
        long delay = Math.min(LAST_MILLIS, FIRST_MILLIS << Math.min(attempts, 10));
        attempts++;
        return delay;
    }

    int attempts() {
        return attempts;
    }

    /** How long it has been tried again. */
    long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }
}
