package io.verbena.nfs;

/**
 * Room in a file system.
 *
 * @param totalBytes in all
 * @param freeBytes not used
 * @param availableBytes not used and available to this user
 * @param totalFiles files that it can hold
 * @param freeFiles files that it can still hold
 */
public record FileSystemStatus(long totalBytes, long freeBytes, long availableBytes, long totalFiles, long freeFiles) {}
