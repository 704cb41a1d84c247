package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open channels of an export's files: at most one a file. It is kept while a client has the file open, and for a while
 * longer; where there are too many, the longest unused are closed, those that clients have open last. A channel that was
 * opened for reading is replaced when somebody writes. Thread safe.
 *
 * <p>A file that loses its last name while a client has it open is reached by its channel until the last such client
 * closes it (OPEN4_RESULT_PRESERVE_UNLINKED, RFC 8881 section 18.16.3).
 */
public final class OpenFiles implements HeldFiles, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

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
     * @param limit the most channels that are kept open without being in use at the moment, those of files without a name
     *     aside
     * @param verifier changes where something that was written may be lost when a file is closed
     * @param isOpen whether a client has a file open; called with this object's lock held
     * @param closer closes files, which may block
     */
    public OpenFiles(ExportTree tree, int limit, WriteVerifier verifier, Predicate<Inode> isOpen, Executor closer) {
        this(tree, tree::open, limit, verifier, isOpen, closer);
    }

    OpenFiles(
            ExportTree tree,
            Opener opener,
            int limit,
            WriteVerifier verifier,
            Predicate<Inode> isOpen,
            Executor closer) {
        this.tree = tree;
        this.opener = opener;
        this.cache = new FileCache(limit, isOpen);
        this.verifier = verifier;
        this.isOpen = isOpen;
        this.closer = closer;
        tree.holds(this);
    }

    /** What to do with an open file. */
    @FunctionalInterface
    public interface Action<T> {
        T apply(OpenFile file) throws IOException;
    }

    /** Does something with a file's channel, which stays open meanwhile. */
    public <T> T with(Inode inode, boolean write, Action<T> action) throws IOException {
        OpenFile file = acquire(inode, write);
        try {
            return action.apply(file);
        } finally {
            release(file);
        }
    }

    private OpenFile acquire(Inode inode, boolean write) throws IOException {
        OpenFile kept = cache.acquire(inode, write);
        if (kept != null) {
            return kept;
        }
        OpenFile used = takeIn(opener.open(inode, write));
        boolean isTold = false;
        try {
            UnixAttributes unused = withoutName(used); // who removed it before it was taken in has told nobody
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
     * A file's attributes, where it has no name any more: this is noted. The last name may go in any moment, by a process
     * of this host, too.
     *
     * @return null where it has a name, or no descriptor to ask
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

    /** Closes what nobody has open and nobody has used for a while; called now and then. */
    public void closeIdle() {
        cache.takeIdle().forEach(this::close);
    }

    @Override
    public void keep(OpenFile made) {
        made.setNew(true);
        release(takeIn(made));
    }

    /**
     * A client has opened a file: from now on its channel is kept, as far as there is room.
     *
     * @throws IOException where the file is gone; where it cannot be opened now, that is tried again when it is used
     */
    public void hold(Inode inode, boolean write) throws IOException {
        OpenFile file;
        try {
            file = acquire(inode, write);
        } catch (IOException e) {
            tree.attributes(inode); // or it is gone
            LOG.debug("A file that a client has opened cannot be opened yet", e);
            return;
        }
        cache.opened(file);
        release(file);
    }

    /**
     * A file may be about to lose its last name: makes sure that it can be reached where a client has it open.
     *
     * @throws NfsError {@code DELAY} where this process has too many files open
     */
    public void retain(Inode inode) throws IOException {
        if (!isOpen.test(inode)) {
            return;
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
            LOG.warn("A file that is removed while it is open cannot be opened here: it is lost to who has it open", e);
        }
    }

    /**
     * A file has lost its last name.
     *
     * @return whether it is kept for those who have it open
     */
    public boolean removed(Inode inode) {
        List<OpenFile> toClose = new ArrayList<>(1);
        boolean isKept = cache.removed(inode, toClose);
        toClose.forEach(this::close);
        return isKept;
    }

    /**
     * A client has closed a file.
     *
     * @return whether the file is gone with that, having no name
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
     * Closes what nobody uses; the others are closed by who uses them last. What was written and not committed is asked
     * for again under another run's verifier.
     */
    @Override
    public void close() {
        cache.takeAll().forEach(file -> verifier.close(file, true));
    }

    private void close(OpenFile file) {
        boolean hasNoName = file.isUnlinked();
        try {
            closer.execute(() -> verifier.close(file, hasNoName));
        } catch (RejectedExecutionException e) {
            verifier.close(file, hasNoName); // the export is being closed
        }
    }
}
