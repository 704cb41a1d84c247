package io.verbena.nfs.nio.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.runtime.Runtime;
import java.nio.channels.Channel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all channels that are open on one file share: uncommitted writes and reserved ranges. The mount orders their
 * operations. Thread safe.
 */
public final class SharedFile {
    private final FileKey key;
    private final UncommittedWrites kept;

    /** Locks that are held or being obtained, valid or not. */
    @GuardedBy("locks")
    private final List<FileLock> locks = new ArrayList<>();

    /** Exclusive locks that nobody has released, valid or not, and the mounts that they were granted on. */
    @GuardedBy("locks")
    private final Map<NfsFileLock, Mount> granted = new HashMap<>();

    /** How many channels use the file. Guarded by the monitor of its {@link OpenFiles}. */
    int users;

    /** @param lastWrite numbers the writes of which copies are kept, for all files of a file system */
    SharedFile(Runtime runtime, FileKey key, ReplaceableMount mount, AtomicLong lastWrite) {
        this.key = key;
        this.kept = new UncommittedWrites(runtime, mount, lastWrite, this::isLockedOn);
    }

    FileKey key() {
        return key;
    }

    public UncommittedWrites uncommitted() {
        return kept;
    }

    /**
     * Reserves the range of a lock before the lock is requested from the mount.
     *
     * @throws OverlappingFileLockException if this process holds or waits for an overlapping lock
     */
    void reserve(FileLock lock) {
        synchronized (locks) {
            for (FileLock held : locks) {
                if (held.overlaps(lock.position(), lock.size())) {
                    throw new OverlappingFileLockException();
                }
            }
            locks.add(lock);
        }
    }

    /**
     * Ends all reservations of a channel that is closed. Locks that it has not requested yet are not requested any
     * more.
     */
    public void unreserveAll(Channel of) {
        synchronized (locks) {
            locks.removeIf(held -> held.acquiredBy() == of);
        }
    }

    /** Records a lock that the server has granted. A shared lock is not recorded: nobody writes under it. */
    void granted(NfsFileLock lock, Mount by) {
        synchronized (locks) {
            if (!lock.isShared()) {
                granted.put(lock, by);
            }
        }
    }

    /** The lock was released, or its channel was closed. */
    void ended(NfsFileLock lock) {
        synchronized (locks) {
            granted.remove(lock);
        }
    }

    private boolean isLockedOn(Mount mount) {
        synchronized (locks) {
            return granted.containsValue(mount);
        }
    }

    void unreserve(FileLock lock) {
        synchronized (locks) {
            locks.removeIf(held -> held == lock);
        }
    }
}
