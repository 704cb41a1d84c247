package io.verbena.nfs41.client.internal.util;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Decides whether an earlier answer of the server still holds, as far as this client can know. Thread safe.
 *
 * @param changes counts the ended requests that may have changed something
 * @param isDoubtful whether no answer may be relied on now: writes are under way, or the mount has ended
 * @param maxAgeNanos the greatest age of an answer to rely on, as other clients may change things; 0 for none
 * @param clock of the runtime, in nanoseconds
 */
public record CachedAnswerValidity(
        LongSupplier changes, BooleanSupplier isDoubtful, long maxAgeNanos, LongSupplier clock) {
    /** The freshness of the reply to a request that is about to be sent. */
    public BooleanSupplier ofNextReply() {
        long asked = clock.getAsLong();
        long before = changes.getAsLong();
        return () -> clock.getAsLong() - asked < maxAgeNanos
                && !isDoubtful.getAsBoolean()
                && changes.getAsLong() == before; // read last: a write that has just ended is counted by then
    }
}
