package io.verbena.nfs41.server.internal.vfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.Directory;
import io.verbena.runtime.Runtime;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open directories by object: all that are in use, and up to a limit the ones used last. Each acquired directory must
 * be released; a directory in use is not closed. Thread safe.
 */
final class DirectoryCache implements Closeable {
    /** For how long the proof holds that a directory lies in the export. */
    static final long PROOF_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCache.class);

    private final Kept root;
    private final int limit;
    private final Runtime runtime;

    @GuardedBy("this")
    private final Map<Inode, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param root the exported directory, which stays open until the cache is closed
     * @param limit the most directories that stay open without being in use
     */
    DirectoryCache(Directory root, int limit, Runtime runtime) {
        this.root = new Kept(root);
        this.limit = limit;
        this.runtime = runtime;
    }

    /**
     * An open directory and the number of its users. Guarded by the cache, to which it has no reference, except the
     * time of the proof.
     */
    static final class Kept {
        private final Directory directory;
        private int users;
        private boolean dropped;
        private volatile long provenNanos;

        private Kept(Directory directory) {
            this.directory = directory;
        }

        Directory directory() {
            return directory;
        }
    }

    /** Records that a directory has just been found in the export. */
    void proven(Kept directory) {
        directory.provenNanos = runtime.nanoTime();
    }

    /** Invalidates the proof of a directory: the next user proves again that it lies in the export. */
    synchronized void expire(Inode inode) {
        Kept known = kept.get(inode);
        if (known != null) {
            known.provenNanos = runtime.nanoTime() - PROOF_NANOS;
        }
    }

    /** Adds a directory that was just opened and proven, and acquires it. */
    Kept keep(Inode inode, Directory opened) {
        Kept made = new Kept(opened);
        made.provenNanos = runtime.nanoTime();
        made.users = 1;
        List<Kept> toClose = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                made.dropped = true;
            } else {
                Kept replaced = kept.put(inode, made);
                if (replaced != null) {
                    drop(replaced, toClose);
                }
                makeRoom(limit, toClose);
            }
        }
        toClose.forEach(DirectoryCache::closeQuietly);
        return made;
    }

    @GuardedBy("this")
    private void makeRoom(int most, List<Kept> toClose) {
        if (kept.size() <= most) {
            return;
        }
        Iterator<Kept> longestUnused = kept.values().iterator();
        while (kept.size() > most && longestUnused.hasNext()) {
            Kept each = longestUnused.next();
            if (each.users == 0) {
                longestUnused.remove();
                drop(each, toClose);
            }
        }
    }

    /** Closes a directory that was removed from the cache, or leaves that to its last user. */
    @GuardedBy("this")
    private void drop(Kept dropped, List<Kept> toClose) {
        dropped.dropped = true;
        if (dropped.users == 0) {
            toClose.add(dropped);
        }
    }

    /** Acquires the open directory; null if there is none. */
    synchronized Kept acquire(Inode inode) {
        Kept found = inode.isRoot() ? root : kept.get(inode);
        if (found != null) {
            found.users++;
        }
        return found;
    }

    /** Acquires the open directory; null if there is none, or its proof is too old. */
    synchronized Kept acquireProven(Inode inode) {
        Kept found = inode.isRoot() ? root : kept.get(inode);
        boolean serves = found != null && (found == root || runtime.nanoTime() - found.provenNanos < PROOF_NANOS);
        if (serves) {
            found.users++;
        }
        return serves ? found : null;
    }

    /** Ends a use. */
    void release(Kept released) {
        List<Kept> toClose = new ArrayList<>(0);
        synchronized (this) {
            released.users--;
            if (released.dropped && released.users == 0) {
                toClose.add(released);
            }
            makeRoom(limit, toClose); // there may be too many after many were in use at once
        }
        toClose.forEach(DirectoryCache::closeQuietly);
    }

    /** Closes the directories that are not in use. Returns whether there were any. */
    boolean closeUnused() {
        List<Kept> toClose = new ArrayList<>();
        synchronized (this) {
            makeRoom(0, toClose);
        }
        toClose.forEach(DirectoryCache::closeQuietly);
        return !toClose.isEmpty();
    }

    /** Removes a directory from the cache: its present users may go on, and the last one closes it. */
    void forget(Inode inode) {
        List<Kept> toClose = new ArrayList<>();
        synchronized (this) {
            Kept forgotten = kept.remove(inode);
            if (forgotten != null) {
                drop(forgotten, toClose);
            }
        }
        toClose.forEach(DirectoryCache::closeQuietly);
    }

    /** How many directories below the exported one are open. */
    synchronized int count() {
        return kept.size();
    }

    /** Closes the directories that are not in use; the last user closes each of the others. */
    @Override
    public void close() {
        List<Kept> toClose = new ArrayList<>();
        synchronized (this) {
            if (!closed) {
                closed = true;
                kept.values().forEach(each -> drop(each, toClose));
                kept.clear();
                drop(root, toClose);
            }
        }
        toClose.forEach(DirectoryCache::closeQuietly);
    }

    private static void closeQuietly(Kept each) {
        try {
            each.directory.close();
        } catch (IOException e) {
            LOG.warn("Closing a directory of the export failed: {}", e.getMessage());
        }
    }
}
