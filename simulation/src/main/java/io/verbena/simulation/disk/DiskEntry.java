package io.verbena.simulation.disk;

import io.verbena.dirfd.FileStatus;

/**
 * An object under one of its names.
 *
 * @param path as {@link DiskView} takes it; empty for the root
 */
public record DiskEntry(String path, FileStatus status) {}
