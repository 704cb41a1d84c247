package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** One file, and what the channels that are open on it have to know of each other. Thread safe. */
final class SharedFile {
    private final FileKey key;
    private final AtomicLong version = new AtomicLong();
    private final List<PendingWrites> writers = new CopyOnWriteArrayList<>();
    /** Ranges locked, or about to be, whether or not their locks are valid. */
    private final List<FileLock> locks = new ArrayList<>();

    /** Guarded by {@link OpenFiles}. */
    int users;

    SharedFile(FileKey key) {
        this.key = key;
    }

    FileKey key() {
        return key;
    }

    /** Changes whenever a channel writes: what was read ahead before is out of date. */
    long version() {
        return version.get();
    }

    void changed() {
        version.incrementAndGet();
    }

    void add(PendingWrites writer) {
        writers.add(writer);
    }

    void remove(PendingWrites writer) {
        writers.remove(writer);
    }

    boolean isPending() {
        return writers.stream().anyMatch(PendingWrites::isPending);
    }

    /** Whether channels write here that may keep, for a while, what they were given. */
    boolean isWritten() {
        return !writers.isEmpty();
    }

    /** Brings to the server what channels have not sent yet; false where there was nothing. */
    boolean flush() throws IOException {
        boolean any = false;
        for (PendingWrites writer : writers) {
            if (writer.isPending()) {
                writer.flushForOthers();
                any = true;
            }
        }
        return any;
    }

    /**
     * Before a channel changes the file between two positions: what others wrote there must not come later.
     *
     * @param own what that channel writes, which keeps its order itself; or null
     */
    void precede(PendingWrites own, long from, long to) throws IOException {
        for (PendingWrites writer : writers) {
            if (writer != own) {
                writer.precede(from, to);
            }
        }
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

    void unreserve(FileLock lock) {
        synchronized (locks) {
            locks.removeIf(held -> held == lock);
        }
    }
}
