package io.verbena.nfs41.client.internal;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Whether what the server told is what it would tell now, as far as this client can know. Thread safe.
 *
 * @param changes counts what may change something, when it has ended
 * @param isDoubtful whether nothing may be relied on now: writes are on their way, or the mount has ended
 * @param maxAgeNanos what is older may have been changed by another client; 0 where nothing may be relied on ever
 * @param clock as {@link System#nanoTime}
 */
record Freshness(LongSupplier changes, BooleanSupplier isDoubtful, long maxAgeNanos, LongSupplier clock) {
    /** That of what the server is about to be asked for. */
    BooleanSupplier ofNextReply() {
        long asked = clock.getAsLong();
        long before = changes.getAsLong();
        return () -> clock.getAsLong() - asked < maxAgeNanos
                && !isDoubtful.getAsBoolean()
                && changes.getAsLong() == before; // looked at last: a write that is no longer on its way counts by then
    }
}
