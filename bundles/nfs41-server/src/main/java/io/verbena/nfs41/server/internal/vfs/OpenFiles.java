package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open channels of an export's files: at most one a file, kept while it is in use and for a while longer, and
 * closed, the longest unused first, where there are too many. A channel that was opened for reading is replaced when
 * somebody writes. Thread safe.
 */
public final class OpenFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();

    private final ExportTree tree;
    private final int limit;
    private final Map<Inode, OpenFile> files = new HashMap<>();

    /**
     * @param limit the most channels that are kept open without being in use at the moment
     */
    public OpenFiles(ExportTree tree, int limit) {
        this.tree = tree;
        this.limit = limit;
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
        OpenFile opened = new OpenFile(inode, tree.open(inode, write), write);
        OpenFile replaced;
        synchronized (this) {
            OpenFile other = files.get(inode);
            if (other != null && (other.isWritable() || !write)) {
                replaced = opened;
                opened = other;
            } else {
                replaced = other;
                files.put(inode, opened);
            }
            opened.use();
            if (replaced != null && replaced.users() > 0) {
                replaced = null; // its last user closes it
            }
        }
        if (replaced != null) {
            replaced.close();
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
        synchronized (this) {
            file.release(System.nanoTime());
            if (files.get(file.inode()) != file) {
                toClose = file.users() == 0 ? file : null;
            } else if (files.size() > limit) {
                toClose = takeLongestUnused();
            }
        }
        if (toClose != null) {
            closeQuietly(toClose);
        }
    }

    private OpenFile takeLongestUnused() {
        OpenFile longest = null;
        for (OpenFile each : files.values()) {
            if (each.users() == 0 && (longest == null || each.lastUsedNanos() - longest.lastUsedNanos() < 0)) {
                longest = each;
            }
        }
        if (longest != null) {
            files.remove(longest.inode());
        }
        return longest;
    }

    /** Closes what nobody has used for a while; called now and then. */
    public synchronized void closeIdle() {
        long now = System.nanoTime();
        for (Iterator<OpenFile> each = files.values().iterator(); each.hasNext(); ) {
            OpenFile file = each.next();
            if (file.users() == 0 && now - file.lastUsedNanos() > IDLE_NANOS) {
                each.remove();
                closeQuietly(file);
            }
        }
    }

    /** Closes a file's channel once nobody uses it, as the last open of it has been closed or it was removed. */
    public void forget(Inode inode) {
        OpenFile toClose;
        synchronized (this) {
            OpenFile file = files.remove(inode);
            toClose = file != null && file.users() == 0 ? file : null;
        }
        if (toClose != null) {
            closeQuietly(toClose);
        }
    }

    public synchronized int count() {
        return files.size();
    }

    @Override
    public synchronized void close() {
        files.values().forEach(OpenFiles::closeQuietly);
        files.clear();
    }

    private static void closeQuietly(OpenFile file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("Closing a file of the export failed: {}", e.getMessage());
        }
    }
}
