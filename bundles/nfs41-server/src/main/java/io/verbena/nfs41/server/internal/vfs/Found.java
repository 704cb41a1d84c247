package io.verbena.nfs41.server.internal.vfs;

/** An object and its attributes when it was found. */
public record Found(Inode inode, UnixAttributes attributes) {}
