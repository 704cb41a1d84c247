package io.verbena.nfs;

/**
 * A name in a directory.
 *
 * @param name without any path
 * @param attributes those of the object itself (a symbolic link's own)
 */
public record DirectoryEntry(String name, FileAttributes attributes) {}
