package io.verbena.dirfd;

/**
 * The space of a file system, as statvfs(3) tells it. Sizes are in octets.
 *
 * @param total the size of the file system
 * @param free what no file uses
 * @param available what of that this process may use
 * @param files how many files the file system can hold; 0 where it does not say
 * @param freeFiles how many more there can be; 0 where the file system does not say
 * @param availableFiles how many of these this process may make; 0 where the file system does not say
 */
public record FileSystemSpace(long total, long free, long available, long files, long freeFiles, long availableFiles) {}
