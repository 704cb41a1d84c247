package io.verbena.itests.model;

/** What a file can be opened as. */
public enum DoorKind {
    /** A {@link io.verbena.nfs.RemoteFile}: reads and writes at positions, blocking and asynchronous. */
    FILE,
    /** A {@link io.verbena.nfs.RemoteFile#channel}; several of one file, and of several files. */
    CHANNEL,
    /** A {@link java.nio.channels.FileChannel}. */
    NIO,
    /** A {@link java.nio.channels.AsynchronousFileChannel}. */
    NIO_ASYNC
}
