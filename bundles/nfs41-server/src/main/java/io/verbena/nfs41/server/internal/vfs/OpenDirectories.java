package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs41.server.internal.vfs.DirectoryCache.Kept;
import io.verbena.nfs41.server.internal.vfs.Inode.Place;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiPredicate;

/**
 * The directories of an export that are open. A directory is found by going down from the exported directory, or from
 * the nearest one that is open, name by name; at each step the identity of what was opened is compared with that of the
 * object that should be there. No path is ever used.
 *
 * <p>Those used last stay open. A descriptor stays that directory's whatever happens on this host, so it needs no
 * further check to be the right one. That it still lies in the export is proven anew every second: a directory that a
 * local user has moved out of the export can be used that long by clients that have its handle. Thread safe.
 */
final class OpenDirectories implements Closeable {
    /** The most directories that are open without being in use at the moment. */
    static final int MAX_OPEN = 512;

    /** Places that lead in a circle have an end, too. */
    private static final int MAX_DEPTH = 1 << 16;

    private final DirectoryCache cache;
    private final BiPredicate<Inode, FileStatus> isSame;

    /**
     * @param isSame whether attributes are those of an object
     */
    OpenDirectories(DirectoryCache cache, BiPredicate<Inode, FileStatus> isSame) {
        this.cache = cache;
        this.isSame = isSame;
    }

    /** The use of an open directory, until it is closed. */
    final class Lease implements Closeable {
        private final Kept leased;

        private Lease(Kept leased) {
            this.leased = leased;
        }

        Directory directory() {
            return leased.directory();
        }

        @Override
        public void close() {
            cache.release(leased);
        }
    }

    /** A step on the way down: an object and its name in the one before. */
    private record Step(Inode inode, String name) {}

    /**
     * Pins a directory and asks for its attributes.
     *
     * @return null where it is not at its newest known place, or is no directory
     */
    PinnedDirectory pin(Inode inode) throws IOException {
        PinnedDirectory pinned = pinAsItIs(inode);
        if (pinned == null || pinned.attributes().linkCount() > 0 || inode.isRoot()) {
            return pinned;
        }
        // removed on this host; or its file system does not count links, and it is found by its name once more
        pinned.close();
        forget(inode);
        return pinAsItIs(inode);
    }

    private PinnedDirectory pinAsItIs(Inode inode) throws IOException {
        Lease lease = lease(inode);
        if (lease == null) {
            return null;
        }
        PinnedDirectory pinned = null;
        try {
            pinned = new PinnedDirectory(
                    lease, UnixAttributes.of(lease.directory().status()));
            return pinned;
        } catch (FileSystemException e) {
            if (!IoErrors.isGone(e)) {
                throw e;
            }
            forget(inode);
            return null;
        } finally {
            if (pinned == null) {
                lease.close();
            }
        }
    }

    /**
     * Opens a directory, or takes the one that is open.
     *
     * @return null where it is not at its newest known place, or is no directory
     */
    Lease lease(Inode inode) throws IOException {
        Kept proven = cache.acquireProven(inode);
        if (proven == null) {
            proven = goDown(inode);
        }
        return proven == null ? null : new Lease(proven);
    }

    /** Has the next one who wants a directory prove anew where it is. */
    void expire(Inode inode) {
        cache.expire(inode);
    }

    private Kept goDown(Inode inode) throws IOException {
        Deque<Step> steps = new ArrayDeque<>();
        Inode at = inode;
        Kept from = null;
        while (from == null) {
            Place place = at.place();
            if (place == null || steps.size() == MAX_DEPTH) {
                return null;
            }
            steps.push(new Step(at, place.name()));
            at = place.parent();
            from = cache.acquireProven(at);
        }
        while (from != null && !steps.isEmpty()) {
            from = takeStep(from, steps.pop());
        }
        return from;
    }

    /** Goes from a directory to one in it, and gives the former back whatever happens. */
    private Kept takeStep(Kept parent, Step step) throws IOException {
        try {
            Kept known = acquireStillThere(parent, step);
            return known != null ? known : open(parent, step);
        } catch (FileSystemException e) {
            if (IoErrors.isGone(e)) {
                return null;
            }
            throw e;
        } finally {
            cache.release(parent);
        }
    }

    /** The open directory, if there is one and the step still leads to it. */
    private Kept acquireStillThere(Kept parent, Step step) throws IOException {
        Kept known = cache.acquire(step.inode);
        if (known == null) {
            return null;
        }
        boolean serves = false;
        try {
            serves = isStillThere(parent, known, step);
        } finally {
            if (!serves) {
                cache.forget(step.inode);
                cache.release(known);
            }
        }
        if (!serves) {
            return null;
        }
        cache.proven(known);
        return known;
    }

    private boolean isStillThere(Kept parent, Kept known, Step step) throws IOException {
        try {
            FileStatus status = parent.directory().status(OctetText.encode(step.name));
            // java.nio's directories know where they were opened: they must be there, too
            return status != null
                    && isSame.test(step.inode, status)
                    && known.directory().status().isSameObject(status);
        } catch (FileSystemException e) {
            if (IoErrors.isGone(e)) {
                return false;
            }
            throw e;
        }
    }

    private Kept open(Kept parent, Step step) throws IOException {
        Directory opened = parent.directory().openDirectory(OctetText.encode(step.name));
        boolean isRight = false;
        try {
            isRight = isSame.test(step.inode, opened.status());
        } finally {
            if (!isRight) {
                opened.close();
            }
        }
        return isRight ? cache.keep(step.inode, opened) : null;
    }

    /** Keeps a directory open no longer than those who use it now need it. */
    void forget(Inode inode) {
        cache.forget(inode);
    }

    /** How many directories below the exported one are open. */
    int count() {
        return cache.count();
    }

    /** Closes what nobody uses; the others are closed by who uses them last. */
    @Override
    public void close() {
        cache.close();
    }
}
