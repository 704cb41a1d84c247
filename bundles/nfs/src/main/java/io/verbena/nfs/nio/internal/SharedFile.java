package io.verbena.nfs.nio.internal;

import java.nio.channels.Channel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/** One file, and what the channels that are open on it have in common. The mount orders what they do. Thread safe. */
final class SharedFile {
    private final FileKey key;
    private final KeptWrites kept;
    /** Ranges locked, or about to be, whether or not their locks are valid. */
    private final List<FileLock> locks = new ArrayList<>();

    /** Guarded by {@link OpenFiles}. */
    int users;

    SharedFile(FileKey key, Remote remote) {
        this.key = key;
        this.kept = new KeptWrites(remote);
    }

    FileKey key() {
        return key;
    }

    KeptWrites kept() {
        return kept;
    }

    /**
     * Keeps a range for a lock that is about to be asked for.
     *
     * @throws OverlappingFileLockException where this process holds or waits for another that overlaps
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

    /** A channel is closed: it has no locks any more, and those that it was to have are not asked for. */
    void unreserveAll(Channel of) {
        synchronized (locks) {
            locks.removeIf(held -> held.acquiredBy() == of);
        }
    }

    void unreserve(FileLock lock) {
        synchronized (locks) {
            locks.removeIf(held -> held == lock);
        }
    }
}
