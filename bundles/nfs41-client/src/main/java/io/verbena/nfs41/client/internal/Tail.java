package io.verbena.nfs41.client.internal;

import java.io.IOException;

/**
 * What a COMPOUND does at the end of a path: its last operations and their results.
 *
 * @param <T> what the results amount to
 */
interface Tail<T> {
    /** Operations that {@link #encode} writes, at most. */
    int MAX_OPERATIONS = 6;

    /**
     * @param name the last step where the tail wants the directory before it, else null
     */
    void encode(Operations operations, String name);

    T decode(Results results) throws IOException;

    /** Whether the server shall keep the reply: see {@link Request#isCached}. */
    default boolean isCached() {
        return false;
    }

    default int maxReplySize() {
        return Request.SMALL_REPLY;
    }
}
