package io.verbena.memory;

/**
 * The memory that one share holds.
 *
 * @param owner as {@link MemoryShare#owner}
 * @param leasedBytes the octets of the leases of the share and its parts
 * @param leases the number of leases of the share and its parts
 * @param waiting the number of requests of the share itself that wait
 * @param isPart whether the share is a part of another one, which counts the memory of this one
 */
public record ShareUsage(String owner, long leasedBytes, int leases, int waiting, boolean isPart) {}
