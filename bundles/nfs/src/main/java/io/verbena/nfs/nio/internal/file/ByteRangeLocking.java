package io.verbena.nfs.nio.internal.file;

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
 * Obtains byte-range locks for one channel (RFC 8881 section 9). Overlaps within one file system are refused before the
 * mount is asked: an asynchronous channel has to throw for them on the caller's thread, and a long wait is a row of
 * short ones here. The mount refuses all other overlaps.
 */
public final class ByteRangeLocking {
    /**
     * How long the first wait at the mount lasts. After each wait the caller is asked whether the lock is still wanted.
     * Each is twice as long as the one before, up to {@link #LONGEST_STEP}: the mount pauses anew within each.
     */
    private static final Duration STEP = Duration.ofSeconds(1);

    private static final Duration LONGEST_STEP = Duration.ofSeconds(16);

    private final OpenFile file;

    public ByteRangeLocking(OpenFile file) {
        this.file = file;
    }

    /**
     * Refuses a lock for which the channel is not open, as
     * {@link java.nio.channels.FileChannel#tryLock(long, long, boolean)} specifies.
     */
    public void check(boolean shared) {
        if (shared && !file.options().read()) {
            throw new NonReadableChannelException();
        }
        if (!shared && !file.options().write()) {
            throw new NonWritableChannelException();
        }
    }

    /** The size of a range; 0 stands for all of the file from the position on, however it grows. */
    public static long size(long position, long size) {
        return size == 0 ? Long.MAX_VALUE - position : size;
    }

    /** Obtains the lock, or returns false where another owner holds it. Waits for it only if {@code waits} is set. */
    public boolean obtain(NfsFileLock lock, boolean waits) throws IOException {
        reserve(lock);
        return obtainReserved(lock, waits, () -> true);
    }

    /** Reserves the range within this file system; {@link #obtainReserved} or {@link #giveUp} must follow. */
    public void reserve(NfsFileLock lock) {
        file.shared().reserve(lock);
    }

    /** Ends the reservation of a lock that was not obtained. */
    public void giveUp(NfsFileLock lock) {
        file.unlocked(lock);
        file.shared().unreserve(lock);
    }

    /**
     * As {@link #obtain}, for a range that {@link #reserve} has reserved.
     *
     * @param isWanted whether the caller still wants the lock; asked after each wait
     */
    public boolean obtainReserved(NfsFileLock lock, boolean waits, BooleanSupplier isWanted) throws IOException {
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
        for (Duration step = STEP; ; step = step.compareTo(LONGEST_STEP) < 0 ? step.multipliedBy(2) : step) {
            Duration wait = step;
            boolean obtained = file.call(present -> {
                Optional<RemoteLock> granted = waits
                        ? present.tryLock(lock.position(), size, lock.isShared(), wait)
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

    /**
     * Hands the granted lock to the file. If the file does not take it, the lock is released here: no other code knows
     * of it.
     */
    private void keep(NfsFileLock lock, RemoteLock granted, RemoteFile by) throws IOException {
        try {
            file.locked(lock, granted, by);
        } catch (Throwable e) {
            try {
                granted.close();
            } catch (IOException notGivenBack) {
                e.addSuppressed(notGivenBack);
            }
            throw e;
        }
    }
}
