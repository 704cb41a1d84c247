/**
 * A file that is open over replaced mounts: its OPENs, its byte-range locks, and copies of uncommitted writes.
 * Uses {@code path} and {@code mount}.
 * The callers' threads, several at once; the lock of uncommitted writes comes before the monitor of an open file.
 */
package io.verbena.nfs.nio.internal.file;
