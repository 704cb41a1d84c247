package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * An open file that goes on over the mounts that take the place of one another: it is opened again by its path, where
 * that leads to the same file still, and where no lock was held on it. Thread safe.
 */
final class OpenFile {
    private final NfsFileSystem fileSystem;
    private final NfsPath path;
    private final Options.Open options;
    private final SharedFile shared;
    /** Guarded by itself, as is whether more can be had. */
    private final Set<NfsFileLock> locks = new HashSet<>();
    /** Files of mounts that went and could not bring to stable storage what had been written; they keep no mount here. */
    private final Set<RemoteFile> unsafe = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final AtomicReference<IOException> owed = new AtomicReference<>();

    private Mount mount;
    private volatile RemoteFile file;
    private volatile IOException lost;
    private volatile boolean closed;
    /** What is being opened again: a lock that it grants is of no use any more. */
    private RemoteFile going;
    /** Whether something was written that may not be safe, and nobody has to write it again. */
    private volatile BooleanSupplier unkept = () -> false;

    private OpenFile(NfsFileSystem fileSystem, NfsPath path, Options.Open options, Opening opened) {
        this.fileSystem = fileSystem;
        this.path = path;
        this.options = options;
        this.mount = opened.mount();
        this.file = opened.file();
        this.shared = fileSystem.openFiles().acquire(opened.key(), fileSystem.remote());
    }

    /** Something done with the file as it is open now. */
    @FunctionalInterface
    interface Call<T> {
        T on(RemoteFile file) throws IOException;
    }

    /** As {@link Opening#of} has it. */
    static OpenFile open(NfsFileSystem fileSystem, NfsPath path, Options.Open options, int mode) throws IOException {
        return new OpenFile(fileSystem, path, options, Opening.of(fileSystem, path, options, mode));
    }

    NfsPath path() {
        return path;
    }

    Options.Open options() {
        return options;
    }

    SharedFile shared() {
        return shared;
    }

    boolean isReplaceable() {
        return fileSystem.remote().isReplaceable();
    }

    /** As it is open now. */
    RemoteFile now() {
        return file;
    }

    /** Whether what a file that was open before has acknowledged may be lost. */
    boolean isUnsafe(RemoteFile gone) {
        return unsafe.contains(gone);
    }

    /** Does what can be done again, once more after each replacement of the mount. */
    <T> T call(Call<T> call) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile present = file;
            try {
                return call.on(present);
            } catch (IOException e) {
                if (replacements == Remote.MAX_REPLACEMENTS) {
                    throw Failures.about(path, e);
                }
                reopen(present, e);
            }
        }
    }

    /**
     * Opens the file again where its mount was replaced, by whichever thread comes first, and writes again what was lost.
     *
     * @param failure what the file that was open failed with
     * @throws IOException that failure, where it is another, or why the file cannot be opened again
     */
    void reopen(RemoteFile gone, IOException failure) throws IOException {
        reopenAlone(gone, failure);
        shared.kept().renew();
    }

    /** Opens the file again where another has noticed that its mount was replaced. */
    void follow() throws IOException {
        Mount on;
        RemoteFile present;
        synchronized (this) {
            on = mount;
            present = file;
        }
        if (on != fileSystem.remote().present()) {
            reopenAlone(present, new MountReplacedException(on.name(), false));
        }
    }

    /** Somebody else has found out that something this channel wrote is lost: it is told by {@link #tellOwed}. */
    void owe(Exception failure) {
        owed.compareAndSet(null, failure instanceof IOException e ? e : new IOException(failure));
    }

    void tellOwed() throws IOException {
        IOException failure = owed.getAndSet(null);
        if (failure != null) {
            throw Failures.again(failure);
        }
    }

    boolean owesNothing() {
        return owed.get() == null;
    }

    /** As {@link #reopen}, but for what was written. */
    void reopenAlone(RemoteFile gone, IOException failure) throws IOException {
        if (Failures.replacement(failure).isEmpty() || !isReplaceable() || closed) {
            throw Failures.about(path, failure);
        }
        synchronized (this) {
            if (lost != null) {
                throw Failures.again(lost);
            }
            if (file != gone) {
                return;
            }
            try {
                reopenNow(failure);
            } catch (MountReplacedException e) {
                lost = e;
                throw e;
            }
        }
    }

    private void reopenNow(IOException failure) throws IOException {
        RemoteFile gone = file;
        boolean hadLocks = invalidateLocks(gone);
        try {
            gone.close(); // its mount has done so: this tells whether all is safe
        } catch (IOException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            unsafe.add(gone);
            if (unkept.getAsBoolean()) {
                lost = new IOException(
                        "the mount was replaced, and what was written to " + path + " since it was forced may be lost",
                        failure);
                throw lost;
            }
        }
        if (hadLocks) {
            MountReplacedException replaced = new MountReplacedException(mount.name(), false);
            replaced.addSuppressed(failure);
            throw replaced; // others may have had the locks since: what they protected is not to be relied on
        }
        Opening again = Opening.again(fileSystem, path, options, mount);
        if (!again.key().equals(shared.key())) {
            NoSuchFileException other = new NoSuchFileException(
                    path.toString(), null, "the mount was replaced, and another file has this name now");
            Opening.closeAfter(again.file(), other);
            lost = other;
            throw other;
        }
        mount = again.mount();
        file = again.file();
        synchronized (locks) {
            going = null; // that another is open says it now, and a file that is gone keeps its mount
        }
    }

    /**
     * Who does not keep what it writes says so: where a mount goes that cannot make it safe, the file is not opened again.
     *
     * @param written whether something was written since the file was forced
     */
    void keepsNothing(BooleanSupplier written) {
        unkept = written;
    }

    FileAttributes attributes() throws IOException {
        return call(RemoteFile::attributes);
    }

    /**
     * Keeps a lock that was granted.
     *
     * @param by the file as it was open then
     * @throws MountReplacedException where the mount went meanwhile, and the lock with it
     * @throws AsynchronousCloseException where the file was closed meanwhile
     */
    void locked(NfsFileLock lock, RemoteLock granted, RemoteFile by) throws IOException {
        synchronized (locks) {
            if (closed) {
                throw new AsynchronousCloseException();
            }
            if (by != file || by == going) {
                throw new MountReplacedException(fileSystem.toString(), false);
            }
            lock.grant(granted);
            locks.add(lock);
        }
    }

    void unlocked(NfsFileLock lock) {
        synchronized (locks) {
            locks.remove(lock);
        }
    }

    /** Whether there were any. */
    private boolean invalidateLocks(RemoteFile gone) {
        synchronized (locks) {
            going = gone;
            locks.forEach(NfsFileLock::invalidate);
            return !locks.isEmpty();
        }
    }

    /**
     * Closes it for good.
     *
     * @param safe whether all is on stable storage already, so that nothing is lost where the mount goes meanwhile; else
     *     this tells
     */
    void close(boolean safe) throws IOException {
        closed = true;
        IOException failure = null;
        try {
            boolean unused = invalidateLocks(file);
            file.close();
        } catch (IOException e) {
            if (!safe || Failures.replacement(e).isEmpty()) {
                failure = Failures.about(path, e);
            }
        } finally {
            fileSystem.openFiles().release(shared);
        }
        if (options.deleteOnClose()) {
            failure = deleted(failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Deletes the file, also one whose close failed; returns that failure, or this one. */
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
