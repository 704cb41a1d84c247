package io.verbena.nfs41.server.internal.util;

/**
 * The shares of the heap for the caches of all exports.
 *
 * @param listings directories that are being listed
 * @param objects what is known of objects and their places
 */
public record CacheShares(HeapShare listings, HeapShare objects) {
    /** A sixteenth and an eighth of the heap that this JVM may have. */
    public static CacheShares ofHeap() {
        return new CacheShares(HeapShare.ofHeap(16), HeapShare.ofHeap(8));
    }
}
