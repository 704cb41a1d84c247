package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.Directory;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open directories by object: those that are used, and those used last up to a limit. Who has acquired one releases it;
 * none is closed while somebody uses it. Thread safe.
 */
final class DirectoryCache implements Closeable {
    /** How long the proof lasts that a directory lies in the export. */
    static final long PROOF_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCache.class);

    private final Kept root;
    private final int limit;
    private final LongSupplier nanoClock;
    private final Map<Inode, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    /**
     * @param root the exported directory, which stays open until this is closed
     * @param limit the most directories that are open without being in use
     * @param nanoClock as {@link System#nanoTime}
     */
    DirectoryCache(Directory root, int limit, LongSupplier nanoClock) {
        this.root = new Kept(root);
        this.limit = limit;
        this.nanoClock = nanoClock;
    }

    /** An open directory and who uses it; guarded by the cache, but for the proof's time. */
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

    /** Notes that a directory was found in the export just now. */
    void proven(Kept directory) {
        directory.provenNanos = nanoClock.getAsLong();
    }

    /** Has the next one who wants a directory prove anew where it is. */
    synchronized void expire(Inode inode) {
        Kept known = kept.get(inode);
        if (known != null) {
            known.provenNanos = nanoClock.getAsLong() - PROOF_NANOS;
        }
    }

    /** Keeps a directory that was opened and proven just now; it is acquired. */
    Kept keep(Inode inode, Directory opened) {
        Kept made = new Kept(opened);
        made.provenNanos = nanoClock.getAsLong();
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
                makeRoom(toClose);
            }
        }
        toClose.forEach(DirectoryCache::closeQuietly);
        return made;
    }

    private void makeRoom(List<Kept> toClose) {
        if (kept.size() <= limit) {
            return;
        }
        Iterator<Kept> longestUnused = kept.values().iterator();
        while (kept.size() > limit && longestUnused.hasNext()) {
            Kept each = longestUnused.next();
            if (each.users == 0) {
                longestUnused.remove();
                drop(each, toClose);
            }
        }
    }

    /** Called with the lock held: who uses it last closes it. */
    private static void drop(Kept dropped, List<Kept> toClose) {
        dropped.dropped = true;
        if (dropped.users == 0) {
            toClose.add(dropped);
        }
    }

    /** The open directory, or null. */
    synchronized Kept acquire(Inode inode) {
        Kept found = inode.isRoot() ? root : kept.get(inode);
        if (found != null) {
            found.users++;
        }
        return found;
    }

    /** The open directory, or null where there is none or its proof is too old. */
    synchronized Kept acquireProven(Inode inode) {
        Kept found = inode.isRoot() ? root : kept.get(inode);
        boolean serves = found != null && (found == root || nanoClock.getAsLong() - found.provenNanos < PROOF_NANOS);
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
            makeRoom(toClose); // there may be too many where many were used at a time
        }
        toClose.forEach(DirectoryCache::closeQuietly);
    }

    /** Keeps a directory open no longer than those who use it now need it. */
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

    /** Closes what nobody uses; the others are closed by who uses them last. */
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
