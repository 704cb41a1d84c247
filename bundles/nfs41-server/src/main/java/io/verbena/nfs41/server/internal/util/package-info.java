/**
 * Errors on their way to {@code nfsstat4}, names of entries, keyed hashes, and what caches may take of the heap.
 * Uses no other room of the server.
 * Any thread; {@code HeapShare} is thread safe, the others keep nothing.
 */
package io.verbena.nfs41.server.internal.util;
