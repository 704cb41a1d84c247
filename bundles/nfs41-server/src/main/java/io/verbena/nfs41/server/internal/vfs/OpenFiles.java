package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();

    private final ExportTree tree;
    private final Opener opener;
    private final int limit;
    private final WriteVerifier verifier;
    private final Predicate<Inode> isOpen;
    private final Executor closer;
    private final Map<Inode, OpenFile> files = new HashMap<>();
    private final Map<Long, Inode> unlinked = new HashMap<>();

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
        this.limit = limit;
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
        OpenFile kept = acquireKept(inode, write);
        if (kept != null) {
            return kept;
        }
        OpenFile opened = opener.open(inode, write);
        OpenFile replaced;
        synchronized (this) {
            OpenFile other = files.get(inode);
            if (other != null && (other.isWritable() || !write)) {
                replaced = opened;
                opened = other;
            } else {
                replaced = other;
                files.put(inode, opened);
                if (other != null && other.isUnlinked()) {
                    opened.unlinked();
                }
            }
            opened.use();
            if (replaced != null && replaced.users() > 0) {
                replaced = null; // its last user closes it
            }
        }
        if (replaced != null) {
            close(replaced, false);
        }
        return opened;
    }

    private synchronized OpenFile acquireKept(Inode inode, boolean write) {
        OpenFile kept = files.get(inode);
        if (kept == null || (write && !kept.isWritable())) {
            return null;
        }
        kept.use();
        return kept;
    }

    private void release(OpenFile file) {
        OpenFile toClose = null;
        boolean hasNoName;
        synchronized (this) {
            file.release(System.nanoTime());
            if (files.get(file.inode()) != file) {
                toClose = file.users() == 0 ? file : null;
            } else if (files.size() - unlinked.size() > limit) {
                toClose = takeLongestUnused();
            }
            hasNoName = toClose != null && toClose.isUnlinked();
        }
        if (toClose != null) {
            close(toClose, hasNoName);
        }
    }

    private OpenFile takeLongestUnused() {
        OpenFile longest = null;
        boolean longestIsOpen = false;
        for (OpenFile each : files.values()) {
            if (each.users() > 0 || each.isUnlinked()) {
                continue;
            }
            boolean eachIsOpen = isOpen.test(each.inode());
            boolean isLonger = longest == null || each.lastUsedNanos() - longest.lastUsedNanos() < 0;
            if (longest == null || (eachIsOpen == longestIsOpen ? isLonger : longestIsOpen)) {
                longest = each;
                longestIsOpen = eachIsOpen;
            }
        }
        if (longest != null) {
            files.remove(longest.inode());
        }
        return longest;
    }

    /** Closes what nobody has open and nobody has used for a while; called now and then. */
    public void closeIdle() {
        long now = System.nanoTime();
        List<OpenFile> idle = new ArrayList<>();
        synchronized (this) {
            for (OpenFile file : files.values()) {
                boolean isIdle = file.isUnlinked() || now - file.lastUsedNanos() > IDLE_NANOS;
                if (file.users() == 0 && isIdle && !isOpen.test(file.inode())) {
                    idle.add(file);
                }
            }
            idle.forEach(this::drop);
        }
        idle.forEach(file -> close(file, file.isUnlinked()));
    }

    private void drop(OpenFile file) {
        files.remove(file.inode());
        unlinked.remove(file.inode().number());
    }

    /**
     * A client has opened a file: from now on its channel is kept, as far as there is room.
     *
     * @throws IOException where the file is gone; where it cannot be opened now, that is tried again when it is used
     */
    public void hold(Inode inode, boolean write) throws IOException {
        try {
            release(acquire(inode, write));
        } catch (IOException e) {
            tree.attributes(inode); // or it is gone
            LOG.debug("A file that a client has opened cannot be opened yet", e);
        }
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
        OpenFile toClose;
        synchronized (this) {
            OpenFile file = files.get(inode);
            if (file == null) {
                return false;
            }
            file.unlinked();
            if (isOpen.test(inode)) {
                unlinked.put(inode.number(), file.inode());
                return true;
            }
            drop(file);
            toClose = file.users() == 0 ? file : null;
        }
        if (toClose != null) {
            close(toClose, true);
        }
        return false;
    }

    /**
     * A client has closed a file.
     *
     * @return whether the file is gone with that, having no name
     */
    public boolean closed(Inode inode) {
        OpenFile toClose;
        synchronized (this) {
            OpenFile file = files.get(inode);
            if (file == null || !file.isUnlinked() || isOpen.test(inode)) {
                return false;
            }
            drop(file);
            toClose = file.users() == 0 ? file : null;
        }
        if (toClose != null) {
            close(toClose, true);
        }
        return true;
    }

    @Override
    public synchronized Inode known(long number) {
        return unlinked.get(number);
    }

    @Override
    public Held held(Inode inode) throws IOException {
        OpenFile file = acquireKept(inode, false);
        if (file == null) {
            return null;
        }
        Held held = null;
        try {
            UnixAttributes attributes = file.attributes();
            if (attributes != null && attributes.linkCount() == 0) {
                noteUnlinked(file);
                held = new Held(file.reference(), attributes, () -> release(file));
            }
            return held;
        } finally {
            if (held == null) {
                release(file);
            }
        }
    }

    /** A process of this host may have removed it. */
    private synchronized void noteUnlinked(OpenFile file) {
        if (files.get(file.inode()) == file && !file.isUnlinked()) {
            file.unlinked();
            unlinked.put(file.inode().number(), file.inode());
        }
    }

    public synchronized int count() {
        return files.size();
    }

    /**
     * Closes what nobody uses; the others are closed by who uses them last. What was written and not committed is asked
     * for again under another run's verifier.
     */
    @Override
    public void close() {
        List<OpenFile> unused = new ArrayList<>();
        synchronized (this) {
            files.values().stream().filter(file -> file.users() == 0).forEach(unused::add);
            files.clear();
            unlinked.clear();
        }
        unused.forEach(file -> verifier.close(file, true));
    }

    private void close(OpenFile file, boolean hasNoName) {
        try {
            closer.execute(() -> verifier.close(file, hasNoName));
        } catch (RejectedExecutionException e) {
            verifier.close(file, hasNoName); // the export is being closed
        }
    }
}
