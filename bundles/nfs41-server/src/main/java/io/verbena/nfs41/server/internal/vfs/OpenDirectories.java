package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.IoErrors;
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
 * The open directories of an export. A directory is found by descending name by name from the exported directory, or
 * from the nearest open one. At each step the identity of the opened directory is compared with that of the expected
 * object. No paths are used.
 *
 * <p>The directories used last stay open. A descriptor refers to the same directory whatever happens on this host, so
 * its identity needs no further check. Whether the directory still lies in the export is proven again every second:
 * clients with its handle can use a directory for that long after a local user has moved it out of the export. Thread
 * safe.
 */
final class OpenDirectories implements Closeable {
    /** The most directories that stay open without being in use. */
    static final int MAX_OPEN = 512;

    /** A bound, so that a descent along places that form a cycle ends. */
    private static final int MAX_DEPTH = 1 << 16;

    private final DirectoryCache cache;
    private final BiPredicate<Inode, FileStatus> isSame;
    private final Descriptors descriptors;

    /** @param isSame whether a status is that of an object */
    OpenDirectories(DirectoryCache cache, BiPredicate<Inode, FileStatus> isSame, Descriptors descriptors) {
        this.cache = cache;
        this.isSame = isSame;
        this.descriptors = descriptors;
    }

    /** A use of an open directory, until the lease is closed. */
    final class Lease implements Closeable {
        private final Kept leased;

        private Lease(Kept leased) {
            this.leased = leased;
        }

        Directory directory() {
            return leased.directory();
        }

        Descriptors descriptors() {
            return descriptors;
        }

        /** A reference to an entry of the directory, which the caller closes. */
        FileReference refer(String name) throws IOException {
            return descriptors.open(() -> directory().refer(OctetText.encode(name)));
        }

        @Override
        public void close() {
            cache.release(leased);
        }
    }

    /** A step of a descent: an object and its name in the directory before. */
    private record Step(Inode inode, String name) {}

    /**
     * Pins a directory and reads its attributes.
     *
     * @return null if it is not at its newest known place, or is not a directory
     */
    PinnedDirectory pin(Inode inode) throws IOException {
        PinnedDirectory pinned = pinAsItIs(inode);
        if (pinned == null || pinned.attributes().linkCount() > 0 || inode.isRoot()) {
            return pinned;
        }
        // removed on this host; or the file system does not count links, and the name still leads to it
        pinned.close();
        forget(inode);
        return pinAsItIs(inode);
    }

    /**
     * Pins a directory that is open.
     *
     * @param known its attributes, which were read just now
     * @return null if it is not open, or has been removed
     */
    PinnedDirectory pinKnown(Inode inode, UnixAttributes known) {
        Kept open = known.isDirectory() && known.linkCount() > 0 ? cache.acquireProven(inode) : null;
        return open == null ? null : new PinnedDirectory(new Lease(open), known);
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
     * Opens a directory, or uses an open one.
     *
     * @return null if it is not at its newest known place, or is not a directory
     */
    Lease lease(Inode inode) throws IOException {
        Kept proven = cache.acquireProven(inode);
        if (proven == null) {
            proven = goDown(inode);
        }
        return proven == null ? null : new Lease(proven);
    }

    /** Expires the proof of a directory: the next user proves its place again. */
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

    /** Descends from a directory to an entry of it. Releases the former in any case. */
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

    /** Acquires the open directory of a step, if there is one and the step still leads to it; else null. */
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
            // a directory of java.nio is bound to its path, and must still be at that path
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
        byte[] name = OctetText.encode(step.name);
        Directory opened = descriptors.open(() -> parent.directory().openDirectory(name));
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

    /** Removes a directory from the cache: its present users may go on, and the last one closes it. */
    void forget(Inode inode) {
        cache.forget(inode);
    }

    /** Closes the directories that are not in use. Returns whether there were any. */
    boolean closeUnused() {
        return cache.closeUnused();
    }

    /** How many directories below the exported one are open. */
    int count() {
        return cache.count();
    }

    /** Closes the directories that are not in use; the last user closes each of the others. */
    @Override
    public void close() {
        cache.close();
    }
}
