package io.verbena.nfs41.server.internal.state;

/**
 * A range to lock.
 *
 * @param offset where it starts, unsigned
 * @param length in octets, all ones to the end of the file
 * @param write whether it excludes every other lock
 */
public record LockRequest(long offset, long length, boolean write) {}
