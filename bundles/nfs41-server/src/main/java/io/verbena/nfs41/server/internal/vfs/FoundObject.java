package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.server.internal.attribute.UnixAttributes;

/** An object, and its attributes at the time when it was found. */
public record FoundObject(Inode inode, UnixAttributes attributes) {}
