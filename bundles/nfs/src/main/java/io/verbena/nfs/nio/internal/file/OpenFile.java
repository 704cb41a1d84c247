package io.verbena.nfs.nio.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.path.MountTree;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * An open file that outlives replaced mounts. It is opened again by its path on the next mount, if the path still leads
 * to the same file and if no byte-range lock was held. Thread safe.
 */
public final class OpenFile {
    private final MountTree fileSystem;
    private final OpenFiles all;
    private final NfsPath path;
    private final OpenOptions options;
    private final SharedFile shared;

    @GuardedBy("locks")
    private final Set<NfsFileLock> locks = new HashSet<>();

    /**
     * Files of replaced mounts whose close has failed, so that their writes may not be on stable storage. Weak, so that
     * they do not keep their mounts in memory.
     */
    private final Set<RemoteFile> unsafe = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final AtomicReference<IOException> deferred = new AtomicReference<>();

    /** Written under the monitor. */
    private volatile OpenResult present;

    private volatile IOException lost;
    /** Completed when the thread that opens the file again has ended that; null where none does. */
    @GuardedBy("this")
    private CompletableFuture<Void> reopening;

    /** Written under the monitor: a file that is opened again for it is not taken any more. */
    private volatile boolean closed;

    /** The file of the mount that goes, while its successor is being opened. A lock that it grants is invalid. */
    @GuardedBy("locks")
    private RemoteFile going;

    /** The thread that closes the file; null before. */
    private volatile Thread closer;

    /** Whether there are writes that are not on stable storage and of which no copies are kept. */
    private volatile BooleanSupplier hasUnsafeWrites = () -> false;

    private OpenFile(OpenFiles all, NfsPath path, OpenOptions options, OpenResult opened) {
        this.all = all;
        this.fileSystem = path.system();
        this.path = path;
        this.options = options;
        this.present = opened;
        this.shared = all.acquire(opened.key(), fileSystem.mount());
    }

    /** An operation on the file of the present mount. */
    @FunctionalInterface
    public interface Call<T> {
        T on(RemoteFile file) throws IOException;
    }

    /** Opens a file as {@link OpenResult#of} does. */
    public static OpenFile open(OpenFiles all, NfsPath path, OpenOptions options, int mode) throws IOException {
        long lastWrite = all.lastWrite();
        OpenFile file = new OpenFile(all, path, options, OpenResult.of(path, options, mode));
        if (options.truncates() && file.isReplaceable()) {
            file.shared.uncommitted().written(new UncommittedWrites.Overwritten(0, Long.MAX_VALUE, lastWrite));
        }
        return file;
    }

    public NfsPath path() {
        return path;
    }

    public OpenOptions options() {
        return options;
    }

    public SharedFile shared() {
        return shared;
    }

    public boolean isReplaceable() {
        return fileSystem.mount().isReplaceable();
    }

    /** The file of the present mount. */
    public RemoteFile now() {
        return present.file();
    }

    /** The file of the present mount, and that mount. */
    OpenResult present() {
        return present;
    }

    /** Whether writes that a former file has acknowledged may be lost. */
    boolean isUnsafe(RemoteFile gone) {
        return unsafe.contains(gone);
    }

    /**
     * Waits for an answer of the server.
     *
     * @throws IOException if the call has failed, with the call's own exception where that is an IOException
     */
    public <T> T await(CompletableFuture<T> reply) throws IOException {
        try {
            return fileSystem.runtime().await(reply, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the server has not answered", e);
        }
    }

    /** Executes an idempotent operation, and executes it again after each replacement of the mount. */
    public <T> T call(Call<T> call) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile file = now();
            try {
                return call.on(file);
            } catch (IOException e) {
                if (replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                    throw Failures.about(path, e);
                }
                reopen(file, e);
            }
        }
    }

    /**
     * Opens the file again if its mount was replaced, and writes lost writes again. The first thread that comes does it
     * for all.
     *
     * @param failure the failure of an operation on {@code gone}
     * @throws IOException that failure, if the mount was not replaced, or the reason why the file cannot be opened
     *     again
     */
    public void reopen(RemoteFile gone, IOException failure) throws IOException {
        reopenAlone(gone, failure);
        shared.uncommitted().rewriteLost(this);
    }

    /** Opens the file again if another open file has noticed that the mount was replaced. */
    void reopenIfReplaced() throws IOException {
        OpenResult last = present;
        if (last.mount() != fileSystem.mount().present()) {
            reopenAlone(last.file(), new MountReplacedException(last.mount().name(), false));
        }
    }

    /**
     * Records that a write of this channel is lost, as another channel has found out. {@link #throwDeferred} throws it.
     */
    void deferFailure(Throwable failure) {
        deferred.compareAndSet(null, failure instanceof IOException e ? e : new IOException(failure));
    }

    public void throwDeferred() throws IOException {
        IOException failure = deferred.getAndSet(null);
        if (failure != null) {
            throw Failures.again(failure);
        }
    }

    public boolean hasNoDeferredFailure() {
        return deferred.get() == null;
    }

    /** As {@link #reopen}, without writing lost writes again. */
    void reopenAlone(RemoteFile gone, IOException failure) throws IOException {
        if (Failures.replacement(failure).isEmpty() || !isReplaceable() || closed) {
            throw Failures.about(path, failure);
        }
        CompletableFuture<Void> mine = new CompletableFuture<>();
        for (CompletableFuture<Void> other = begin(gone, mine); other != mine; other = begin(gone, mine)) {
            if (other == null) {
                return;
            }
            Void unused = await(other);
        }
        try {
            reopenNow(gone, failure);
        } catch (MountReplacedException e) {
            lose(e);
            throw e;
        } finally {
            synchronized (this) {
                reopening = null;
            }
            mine.complete(null);
        }
    }

    /**
     * Begins to open the file again. One thread does so, without the lock, and the others wait for that one.
     *
     * @return {@code mine} for the calling thread to do it, the end of what another thread does, or null where the file
     *     is open again
     */
    private synchronized CompletableFuture<Void> begin(RemoteFile gone, CompletableFuture<Void> mine)
            throws IOException {
        if (lost != null) {
            throw Failures.again(lost);
        }
        if (now() != gone) {
            return null;
        }
        if (reopening == null) {
            reopening = mine;
        }
        return reopening;
    }

    private synchronized void lose(IOException why) {
        lost = why;
    }

    private void reopenNow(RemoteFile gone, IOException failure) throws IOException {
        Mount former = present.mount();
        boolean hadLocks = invalidateLocks(gone);
        try {
            gone.close(); // its mount has closed it already: a failure means that writes may be lost
        } catch (IOException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            unsafe.add(gone);
            if (hasUnsafeWrites.getAsBoolean()) {
                IOException unsafeWrites = new IOException(
                        "the mount was replaced, and what was written to " + path + " since it was forced may be lost",
                        failure);
                lose(unsafeWrites);
                throw unsafeWrites;
            }
        }
        if (hadLocks) {
            MountReplacedException replaced = new MountReplacedException(former.name(), false);
            replaced.addSuppressed(failure);
            throw replaced; // another owner may have held the locks since, and changed what they protected
        }
        OpenResult again = OpenResult.again(path, options, former);
        if (!again.key().equals(shared.key())) {
            NoSuchFileException other = new NoSuchFileException(
                    path.toString(), null, "the mount was replaced, and another file has this name now");
            OpenResult.closeAfter(again.file(), other);
            lose(other);
            throw other;
        }
        if (!take(again)) {
            AsynchronousCloseException closedMeanwhile = new AsynchronousCloseException();
            OpenResult.closeAfter(again.file(), closedMeanwhile);
            throw closedMeanwhile;
        }
        synchronized (locks) {
            going = null; // the new file says so from now on, and a former file would keep its mount in memory
        }
    }

    /** Goes on by the file that was opened again. Returns false where the file was closed meanwhile. */
    private synchronized boolean take(OpenResult again) {
        if (!closed) {
            present = again;
        }
        return !closed;
    }

    /** Returns the file to close: no other one takes its place any more. */
    private synchronized RemoteFile last() {
        closed = true;
        return now();
    }

    /**
     * Declares that the channel keeps no copies of its writes. If a mount goes without committing them, the file is not
     * opened again.
     *
     * @param written whether there are writes since the file was forced
     */
    public void keepsNoCopies(BooleanSupplier written) {
        hasUnsafeWrites = written;
    }

    public FileAttributes attributes() throws IOException {
        return call(RemoteFile::attributes);
    }

    /**
     * Takes a lock that the server has granted.
     *
     * @param by the file by which it was granted
     * @throws MountReplacedException if the mount was replaced meanwhile: the lock is gone with it
     * @throws AsynchronousCloseException if the file was closed meanwhile
     */
    void locked(NfsFileLock lock, RemoteLock granted, RemoteFile by) throws IOException {
        synchronized (locks) {
            if (closed) {
                throw new AsynchronousCloseException();
            }
            OpenResult on = present;
            if (by != on.file() || by == going) {
                throw new MountReplacedException(fileSystem.toString(), false);
            }
            lock.grant(granted);
            locks.add(lock);
            shared.granted(lock, on.mount());
        }
    }

    void unlocked(NfsFileLock lock) {
        synchronized (locks) {
            locks.remove(lock);
        }
        shared.ended(lock);
    }

    /**
     * Releases a lock. The next holder may change the file behind an exclusive lock, so no write that came before is
     * written again then.
     *
     * @throws MountReplacedException if the lock has gone with its mount; if it was exclusive, the file is not opened
     *     again
     */
    void release(NfsFileLock lock, RemoteLock held) throws IOException {
        UncommittedWrites kept = shared.uncommitted();
        UncommittedWrites.Sealed before = kept.sealPresent(this);
        boolean released = false;
        try {
            held.close(); // after the writes: the next owner of the lock reads them
            released = true;
        } catch (IOException e) {
            if (!lock.isShared() && isReplaceable() && Failures.replacement(e).isPresent()) {
                lose(e);
            }
            throw Failures.about(path, e);
        } finally {
            try {
                if (released) {
                    kept.synced(this, before);
                }
                if (!lock.isShared()) {
                    kept.unlocked();
                }
            } finally {
                unlocked(lock);
            }
        }
    }

    /** Makes all locks invalid. Returns whether there were any. */
    private boolean invalidateLocks(RemoteFile gone) {
        synchronized (locks) {
            going = gone;
            locks.forEach(NfsFileLock::invalidate);
            return !locks.isEmpty();
        }
    }

    /** The calling thread begins to close the file: no other one waits any longer for what a third one does. */
    public void beginClose() {
        closer = Thread.currentThread();
        shared.uncommitted().wake();
    }

    /** Whether another thread has begun to close the file. */
    public boolean isClosedByOther() {
        Thread closing = closer;
        return closing != null && closing != Thread.currentThread();
    }

    /**
     * Closes the file for good, after {@link #beginClose}.
     *
     * @param safe whether all writes are on stable storage, so that a mount that goes meanwhile loses nothing and its
     *     failure is ignored
     */
    public void close(boolean safe) throws IOException {
        RemoteFile last = last();
        IOException failure = null;
        try {
            boolean unused = invalidateLocks(last);
            try {
                last.close();
            } finally {
                endLocks();
            }
        } catch (IOException e) {
            if (!safe || Failures.replacement(e).isEmpty()) {
                failure = Failures.about(path, e);
            }
        } finally {
            all.release(shared);
        }
        if (options.deleteOnClose()) {
            failure = deleted(failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The close has released the locks. */
    private void endLocks() {
        List<NfsFileLock> released;
        synchronized (locks) {
            released = List.copyOf(locks);
            locks.clear();
        }
        if (released.stream().anyMatch(lock -> !lock.isShared())) {
            shared.uncommitted().unlocked();
        }
        released.forEach(shared::ended);
    }

    /**
     * Deletes the file, even if its close has failed. Returns that failure, or the failure of the deletion, or null.
     */
    private IOException deleted(IOException closing) {
        try {
            fileSystem.deleteIfExists(path);
            return closing;
        } catch (IOException e) {
            if (closing == null) {
                return e;
            }
            closing.addSuppressed(e);
            return closing;
        }
    }
}
