package io.verbena.itests.model;

/** The ways to open a file. */
public enum DoorKind {
    /** A {@link io.verbena.nfs.RemoteFile}: reads and writes at positions, blocking and asynchronous. */
    FILE,
    /** A {@link io.verbena.nfs.RemoteFile#channel}; one RemoteFile may have several. */
    CHANNEL,
    /** A {@link java.nio.channels.FileChannel}. */
    NIO,
    /** A {@link java.nio.channels.AsynchronousFileChannel}. */
    NIO_ASYNC
}
