package io.verbena.simulation.disk;

/** A kind of fault. */
public enum DiskFault {
    /** ENOSPC: no room for a further page of a file, or for a directory. */
    NO_SPACE,
    /** ENOSPC: no further object. */
    NO_INODE,
    /** EIO of a read; nothing is read. */
    READ_ERROR,
    /** EIO of a write; nothing is written. */
    WRITE_ERROR,
    /** EIO of a force: some of the pages that were to be written are lost. */
    FORCE_ERROR,
    /** EIO of a sync of a directory, of which nothing is lost, or of the whole file system, as {@link #FORCE_ERROR}. */
    SYNC_ERROR,
    /** A page that was not written by a failed force and counts as clean since. Only counted. */
    LOST_PAGE,
    /** Only counted. */
    POWER_LOSS
}
