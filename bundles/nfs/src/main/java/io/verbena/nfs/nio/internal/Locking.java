package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Locks ranges for channels. Overlaps within one file system are told before the mount is asked, since an asynchronous
 * channel tells them on the caller's thread, and a wait here is a row of shorter ones; the mount refuses all others.
 */
final class Locking {
    /** So that a channel that is closed by another thread is noticed. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final OpenFile file;

    Locking(OpenFile file) {
        this.file = file;
    }

    /** As {@link java.nio.channels.FileChannel#tryLock(long, long, boolean)} and its kin have it. */
    void check(boolean shared) {
        if (shared && !file.options().read()) {
            throw new NonReadableChannelException();
        }
        if (!shared && !file.options().write()) {
            throw new NonWritableChannelException();
        }
    }

    /** Zero reaches to the end, however the file grows. */
    static long size(long position, long size) {
        return size == 0 ? Long.MAX_VALUE - position : size;
    }

    /** Waits for the lock, or, where it need not be had, does not wait; false where somebody else holds it. */
    boolean obtain(NfsFileLock lock, boolean waits) throws IOException {
        reserve(lock);
        return obtainReserved(lock, waits, () -> true);
    }

    /** Keeps the range for a lock; {@link #obtainReserved} or {@link #giveUp} must follow. */
    void reserve(NfsFileLock lock) {
        file.shared().reserve(lock);
    }

    /** The lock is not asked for after all. */
    void giveUp(NfsFileLock lock) {
        file.unlocked(lock);
        file.shared().unreserve(lock);
    }

    /**
     * As {@link #obtain}, once it is known that nothing in this process overlaps.
     *
     * @param isWanted whether it makes sense to wait on
     */
    boolean obtainReserved(NfsFileLock lock, boolean waits, BooleanSupplier isWanted) throws IOException {
        boolean obtained = false;
        try {
            obtained = ask(lock, waits, isWanted);
            return obtained;
        } finally {
            if (!obtained) {
                giveUp(lock);
            }
        }
    }

    private boolean ask(NfsFileLock lock, boolean waits, BooleanSupplier isWanted) throws IOException {
        long size = lock.size() == Long.MAX_VALUE - lock.position() ? Long.MAX_VALUE : lock.size();
        while (true) {
            boolean obtained = file.call(present -> {
                Optional<RemoteLock> granted = waits
                        ? present.tryLock(lock.position(), size, lock.isShared(), STEP)
                        : present.tryLock(lock.position(), size, lock.isShared());
                if (granted.isPresent()) {
                    keep(lock, granted.get(), present);
                }
                return granted.isPresent();
            });
            if (obtained) {
                return true;
            }
            if (!lock.acquiredBy().isOpen()) {
                throw new AsynchronousCloseException();
            }
            if (!waits || !isWanted.getAsBoolean()) {
                return false;
            }
        }
    }

    /** Where it cannot be kept, it is given back: nobody else would. */
    private void keep(NfsFileLock lock, RemoteLock granted, RemoteFile by) throws IOException {
        try {
            file.locked(lock, granted, by);
        } catch (IOException | RuntimeException e) {
            try {
                granted.close();
            } catch (IOException notGivenBack) {
                e.addSuppressed(notGivenBack);
            }
            throw e;
        }
    }
}
