package io.verbena.fuse.internal.file;

/**
 * Who holds a lock on this host.
 *
 * <p>The kernel's number of an owner is the place of an object in its memory. The number of an open file is another
 * one's as soon as the last close(2) has returned, and the RELEASE may come later. So the handle alone tells who holds
 * a lock of flock(2).
 *
 * @param handle of the open file by which the lock was set; with that one's end it goes, whoever owns it
 * @param owner the kernel's number of the owner: a process for fcntl(2), an open file for flock(2) and the commands
 *     F_OFD_ of fcntl(2)
 * @param isFlock whether the lock is one of flock(2), which conflicts only with others of flock(2) on this host
 */
public record LockHolder(long handle, long owner, boolean isFlock) {
    /** Whether both are one: a lock of the one replaces that of the other. */
    boolean is(LockHolder other) {
        return isFlock == other.isFlock && (isFlock ? handle == other.handle : owner == other.owner);
    }
}
