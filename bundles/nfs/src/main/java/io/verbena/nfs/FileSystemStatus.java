package io.verbena.nfs;

/**
 * The space of a file system.
 *
 * @param totalBytes the size
 * @param freeBytes the unused space
 * @param availableBytes the unused space that this user may use
 * @param totalFiles how many files the file system can hold
 * @param freeFiles how many further files the file system can hold
 */
public record FileSystemStatus(long totalBytes, long freeBytes, long availableBytes, long totalFiles, long freeFiles) {}
