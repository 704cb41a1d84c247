package io.verbena.simulation.disk;

/** What is asked of the disk, for {@link LatencyHook}. */
public enum DiskOperation {
    /** Attributes of an object, or the text of a symbolic link. */
    STATUS(false),
    /** The names of a directory. */
    LIST(false),
    /** A reference to an object, or a channel. */
    OPEN(false),
    /** A new file, directory or symbolic link. */
    CREATE(false),
    /** A further name of an object. */
    LINK(false),
    REMOVE(false),
    RENAME(false),
    /** Mode, owner or times of an object. */
    CHANGE(false),
    TRUNCATE(false),
    READ(true),
    WRITE(true),
    /** fsync(2) or fdatasync(2) of a file. */
    FORCE(true),
    /** fsync(2) of a directory. */
    SYNC(true),
    /** syncfs(2). */
    SYNC_ALL(true);

    private final boolean maySuspend;

    DiskOperation(boolean maySuspend) {
        this.maySuspend = maySuspend;
    }

    /**
     * Whether the hook may let other threads run before the operation. Programs call the other operations while they
     * hold locks.
     */
    public boolean maySuspend() {
        return maySuspend;
    }
}
