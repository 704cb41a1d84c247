package io.verbena.nfs41.server.internal.file;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_FILE_OPEN;

import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import io.verbena.nfs41.server.internal.vfs.UnlinkedOpenFiles;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open channels of the files of an export, at most one for each file. A channel is kept while a client has the file
 * open, and for some time after that. If there are too many, the channels unused for longest are closed, those of files
 * that clients have open last. A channel that was opened for reading is replaced when a client writes. Thread safe.
 *
 * <p>A file that loses its last name while a client has it open is reached by its channel until the last such client
 * closes the file (OPEN4_RESULT_PRESERVE_UNLINKED, RFC 8881 section 18.16.3).
 */
public final class OpenFiles implements UnlinkedOpenFiles, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    /** The most files without a name that are kept for clients that have them open. */
    static final int MAX_UNLINKED = 1024;

    private final ExportTree tree;
    private final Opener opener;
    private final WriteVerifier verifier;
    private final Predicate<Inode> isOpen;
    private final Executor closer;
    private final FileCache cache;

    /** Opens a file. */
    @FunctionalInterface
    interface Opener {
        OpenFile open(Inode inode, boolean write) throws IOException;
    }

    /**
     * @param limit the most channels that stay open without being in use, not counting those of files without a name
     * @param verifier changes if written data may be lost when a file is closed
     * @param isOpen whether a client has a file open; called while the lock of the cache is held
     * @param closer closes files, which may block
     */
    public OpenFiles(
            ExportTree tree,
            int limit,
            WriteVerifier verifier,
            Predicate<Inode> isOpen,
            Executor closer,
            Runtime runtime) {
        this(tree, tree::open, limit, verifier, isOpen, closer, runtime);
    }

    OpenFiles(
            ExportTree tree,
            Opener opener,
            int limit,
            WriteVerifier verifier,
            Predicate<Inode> isOpen,
            Executor closer,
            Runtime runtime) {
        this.tree = tree;
        this.opener = opener;
        this.cache = new FileCache(limit, isOpen, runtime);
        this.verifier = verifier;
        this.isOpen = isOpen;
        this.closer = closer;
        tree.holds(this);
    }

    /** An action on an open file. */
    @FunctionalInterface
    public interface Action<T> {
        T apply(OpenFile file) throws IOException;
    }

    /** Applies an action to the channel of a file, which stays open meanwhile. */
    public <T> T with(Inode inode, boolean write, Action<T> action) throws IOException {
        OpenFile file = acquire(inode, write);
        try {
            return action.apply(file);
        } finally {
            release(file);
        }
    }

    /**
     * Applies an action to the channel of a file that is open, also where the file is in the exported tree no more.
     *
     * @return whether there is such a channel
     */
    boolean withOpen(Inode inode, Action<?> action) throws IOException {
        OpenFile file = cache.acquire(inode, false);
        if (file == null) {
            return false;
        }
        try {
            Object unused = action.apply(file);
        } finally {
            release(file);
        }
        return true;
    }

    /**
     * Closes the channels of a file that are to be closed, so that what was written by them is on stable storage, or
     * counts as lost. Blocks.
     */
    void finishClosing(Inode inode) {
        cache.closing(inode).forEach(this::closeNow);
    }

    /** Brings a whole file system to stable storage. */
    @FunctionalInterface
    interface FileSystemForce {
        /** Returns false if that is not possible, and nothing was tried. */
        boolean force() throws IOException;
    }

    /**
     * Brings files to stable storage together with their file system. Those that are open need no force of their own
     * afterwards. Blocks.
     *
     * @return what the force returned
     */
    boolean forceAll(Collection<Inode> inodes, FileSystemForce force) throws IOException {
        List<OpenFile> open = new ArrayList<>(inodes.size());
        boolean isDone = false;
        try {
            for (Inode inode : inodes) {
                OpenFile file = cache.acquire(inode, false);
                if (file != null) {
                    open.add(file);
                    file.setForced();
                }
            }
            isDone = force.force();
        } finally {
            for (OpenFile file : open) {
                if (!isDone) {
                    file.setDirty();
                }
                release(file);
            }
        }
        return isDone;
    }

    private OpenFile acquire(Inode inode, boolean write) throws IOException {
        OpenFile kept = cache.acquire(inode, write);
        if (kept != null) {
            return kept;
        }
        OpenFile used = takeIn(opener.open(inode, write));
        boolean isTold = false;
        try {
            UnixAttributes unused = withoutName(used); // a removal before the file was added has not been recorded
            isTold = true;
            return used;
        } finally {
            if (!isTold) {
                release(used);
            }
        }
    }

    private OpenFile takeIn(OpenFile opened) {
        FileCache.TakenIn taken = cache.takeIn(opened);
        if (taken.toClose() != null) {
            close(taken.toClose());
        }
        return taken.used();
    }

    /**
     * The attributes of a file that has no name any more, which is recorded. A file may lose its last name at any time,
     * also by another process of this host.
     *
     * @return null if the file has a name, or no descriptor to ask
     */
    private UnixAttributes withoutName(OpenFile file) throws IOException {
        UnixAttributes attributes = file.attributes();
        if (attributes == null || attributes.linkCount() > 0) {
            return null;
        }
        cache.noteUnlinked(file);
        return attributes;
    }

    private void release(OpenFile file) {
        OpenFile toClose = cache.release(file);
        if (toClose != null) {
            close(toClose);
        }
    }

    /** Closes the files that no client has open and that have not been used for some time. Called periodically. */
    public void closeIdle() {
        cache.takeIdle().forEach(this::close);
    }

    @Override
    public boolean closeUnused() {
        boolean isClosed = false;
        for (OpenFile file : cache.takeUnused()) {
            if (file.isDirty()) {
                close(file); // by a worker, as it waits for the disk
            } else {
                verifier.closeAsIs(file);
                cache.closed(file); // which may have been dirty when it was taken
                isClosed = true;
            }
        }
        return isClosed;
    }

    @Override
    public void keep(OpenFile made) {
        made.setNew(true);
        release(takeIn(made));
    }

    /**
     * Called when a client has opened a file: its channel is kept from now on, as far as there is room.
     *
     * @throws IOException if the file has been removed; if it only cannot be opened now, its next use tries again
     */
    public void hold(Inode inode, boolean write) throws IOException {
        OpenFile file;
        try {
            file = acquire(inode, write);
        } catch (IOException e) {
            tree.attributes(inode); // throws if the file has been removed
            LOG.debug("A file that a client has opened cannot be opened yet", e);
            return;
        }
        cache.opened(file);
        release(file);
    }

    /**
     * Called before a file may lose its last name: makes sure that the file can be reached if a client has it open.
     *
     * @throws NfsError {@code DELAY} if this process has too many files open; {@code FILE_OPEN} if there are too many
     *     files without a name, each of which takes a descriptor (RFC 8881 section 18.25.3)
     */
    public void retain(Inode inode) throws IOException {
        if (!isOpen.test(inode)) {
            return;
        }
        if (cache.unlinkedCount() >= MAX_UNLINKED) {
            throw new NfsError(NFS4ERR_FILE_OPEN);
        }
        try {
            release(acquire(inode, true));
        } catch (IOException e) {
            retainForReading(inode);
        }
    }

    private void retainForReading(Inode inode) throws IOException {
        try {
            release(acquire(inode, false));
        } catch (IOException e) {
            if (IoErrors.status(e) == NFS4ERR_DELAY) {
                throw e;
            }
            LOG.warn("A removed file cannot be opened: clients that have it open lose it", e);
        }
    }

    /**
     * Called when a file has lost its last name.
     *
     * @return whether the file is kept for clients that have it open
     */
    public boolean removed(Inode inode) {
        List<OpenFile> toClose = new ArrayList<>(1);
        boolean isKept = cache.removed(inode, toClose);
        toClose.forEach(this::close);
        return isKept;
    }

    /**
     * Called when a client has closed a file.
     *
     * @return whether the file ceases to exist with that, since it has no name
     */
    public boolean closed(Inode inode) {
        List<OpenFile> toClose = new ArrayList<>(1);
        boolean isGone = cache.dropUnlinked(inode, toClose);
        toClose.forEach(this::close);
        return isGone;
    }

    @Override
    public Inode known(long number) {
        return cache.unlinked(number);
    }

    @Override
    public Held held(Inode inode) throws IOException {
        OpenFile file = cache.acquire(inode, false);
        if (file == null) {
            return null;
        }
        Held held = null;
        try {
            UnixAttributes attributes = withoutName(file);
            if (attributes != null) {
                held = new Held(file.reference(), attributes, () -> release(file));
            }
            return held;
        } finally {
            if (held == null) {
                release(file);
            }
        }
    }

    public int count() {
        return cache.count();
    }

    /**
     * Closes the files that are not in use; the last user closes each of the others. After a restart clients send
     * uncommitted data again, since the verifier is another one.
     */
    @Override
    public void close() {
        cache.takeAll().forEach(file -> verifier.close(file, true));
    }

    private void close(OpenFile file) {
        try {
            closer.execute(() -> closeNow(file));
        } catch (Throwable e) {
            // the export is being closed, or there is no thread: this thread closes the file
            closeNow(file);
        }
    }

    private void closeNow(OpenFile file) {
        try {
            verifier.close(file, file.isUnlinked());
        } finally {
            cache.closed(file);
        }
    }
}
