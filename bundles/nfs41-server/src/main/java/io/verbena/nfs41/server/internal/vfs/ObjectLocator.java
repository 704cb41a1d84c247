package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_NOTDIR;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;
import static io.verbena.nfs41.Status.NFS4ERR_SYMLINK;

import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/** Finds an object at its known places, or by a walk through the tree, and checks its identity. Thread safe. */
public final class ObjectLocator {
    private static final int ATTEMPTS = 3;

    private final InodeIndex index;
    private final OpenDirectories directories;
    private final Lock noRename;
    private final Supplier<UnlinkedOpenFiles> held;

    /**
     * @param noRename while it is held, no NFS client renames
     * @param held the open files without a name
     */
    ObjectLocator(InodeIndex index, OpenDirectories directories, Lock noRename, Supplier<UnlinkedOpenFiles> held) {
        this.index = index;
        this.directories = directories;
        this.noRename = noRename;
        this.held = held;
    }

    /** The present attributes of an object. If the object is not at its known places, the tree is searched for it. */
    UnixAttributes attributes(Inode inode) throws IOException {
        UnixAttributes attributes = attributesAfterRename(inode);
        if (attributes != null) {
            return attributes;
        }
        try (UnlinkedOpenFiles.Held open = held.get().held(inode)) {
            if (open != null) {
                return open.attributes();
            }
        }
        return attributesElsewhere(inode);
    }

    /**
     * The attributes; null if the object is not at its newest place, also after a rename of it that may be under way.
     */
    private UnixAttributes attributesAfterRename(Inode inode) throws IOException {
        UnixAttributes attributes = attributesAtPlace(inode);
        if (attributes != null) {
            return attributes;
        }
        noRename.lock(); // waits for the end of the rename
        try {
            return attributesAtPlace(inode);
        } finally {
            noRename.unlock();
        }
    }

    /** The attributes; null if the object is not at its newest place. */
    private UnixAttributes attributesAtPlace(Inode inode) throws IOException {
        if (inode.isRoot()) {
            try (PinnedDirectory pinned = directories.pin(inode)) {
                return pinned.attributes();
            }
        }
        Inode.Place place = inode.place();
        if (place == null) {
            return null;
        }
        try (OpenDirectories.Lease parent = directories.lease(place.parent())) {
            FileStatus status = parent == null ? null : parent.directory().status(OctetText.encode(place.name()));
            return status != null && index.isSame(inode, status) ? UnixAttributes.of(status) : null;
        } catch (FileSystemException e) {
            if (!IoErrors.isGone(e)) {
                throw e;
            }
            directories.forget(place.parent());
            return null;
        }
    }

    private UnixAttributes attributesElsewhere(Inode inode) throws IOException {
        Inode.Place lost = inode.place();
        for (Inode.Place place : inode.places()) {
            UnixAttributes attributes = attributesAtPlace(inode);
            if (attributes != null) {
                return attributes;
            }
            inode.goneFrom(place.parent(), place.name());
        }
        if (index.isGone(inode.number(), inode.generation())) {
            throw new NfsError(NFS4ERR_STALE);
        }
        Inode.Place newest = lost; // the object may come back there, also where it cannot be searched for now
        try {
            Inode found = index.walkFor(inode.number(), directories);
            Inode.Place place = found == null || !found.equals(inode) ? null : found.place();
            newest = place == null ? lost : place;
        } finally {
            if (newest != null) {
                inode.seenAt(newest.parent(), newest.name());
            }
        }
        UnixAttributes attributes = attributesAtPlace(inode);
        if (attributes == null) {
            throw new NfsError(NFS4ERR_STALE);
        }
        return attributes;
    }

    /**
     * Pins a directory, which may have been moved.
     *
     * @throws NfsError {@code NOTDIR} or {@code SYMLINK} for another object, {@code STALE} if the directory has been
     *     removed
     */
    PinnedDirectory pin(Inode inode) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            PinnedDirectory pinned = directories.pin(inode);
            if (pinned != null) {
                return pinned;
            }
            requireDirectory(attributes(inode)); // finds its place
        }
        throw new NfsError(NFS4ERR_STALE);
    }

    /**
     * As {@link #pin(Inode)}.
     *
     * @param known the attributes of the directory, if the operation before has read them; else null
     */
    PinnedDirectory pin(Inode inode, UnixAttributes known) throws IOException {
        PinnedDirectory pinned = known == null ? null : directories.pinKnown(inode, known);
        return pinned == null ? pin(inode) : pinned;
    }

    private static void requireDirectory(UnixAttributes attributes) throws NfsError {
        if (attributes.isSymbolicLink()) {
            throw new NfsError(NFS4ERR_SYMLINK);
        }
        if (!attributes.isDirectory()) {
            throw new NfsError(NFS4ERR_NOTDIR);
        }
    }

    /** An action on an object by its descriptor. */
    @FunctionalInterface
    public interface ReferenceAction<T> {
        T apply(FileReference reference, UnixAttributes attributes) throws IOException;
    }

    /**
     * Applies an action to a descriptor of an object whose identity was checked. The action affects this object,
     * whatever other processes do to its names meanwhile. A file that has lost its last name is reached while a client
     * has it open.
     */
    <T> T withReference(Inode inode, ReferenceAction<T> action) throws IOException {
        if (inode.isRoot()) {
            try (PinnedDirectory pinned = pin(inode)) {
                return action.apply(pinned.reference(), pinned.attributes());
            }
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (Reached reached = reach(inode)) {
                if (reached != null) {
                    return action.apply(reached.reference, reached.attributes);
                }
            }
            if (attributesAfterRename(inode) == null) {
                try (UnlinkedOpenFiles.Held open = held.get().held(inode)) {
                    if (open != null) {
                        return action.apply(open.reference(), open.attributes());
                    }
                }
                attributesElsewhere(inode); // finds its place
            }
        }
        throw new NfsError(NFS4ERR_STALE);
    }

    /** A descriptor of an object whose identity was checked, and the open directory in which it was found. */
    private record Reached(OpenDirectories.Lease parent, FileReference reference, UnixAttributes attributes)
            implements Closeable {
        @Override
        public void close() throws IOException {
            try {
                reference.close();
            } finally {
                parent.close();
            }
        }
    }

    /** Opens an object; null if it is not at its newest place. */
    private Reached reach(Inode inode) throws IOException {
        Inode.Place place = inode.place();
        if (place == null) {
            return null;
        }
        OpenDirectories.Lease parent = null;
        FileReference reference = null;
        Reached reached = null;
        try {
            parent = directories.lease(place.parent());
            if (parent != null) {
                reference = parent.refer(place.name());
                FileStatus status = reference.status();
                if (index.isSame(inode, status)) {
                    reached = new Reached(parent, reference, UnixAttributes.of(status));
                }
            }
            return reached;
        } catch (NoSuchFileException e) {
            return null;
        } catch (FileSystemException e) {
            if (!IoErrors.isGone(e)) {
                throw e;
            }
            directories.forget(place.parent());
            return null;
        } finally {
            if (reached == null) {
                close(reference, parent);
            }
        }
    }

    private static void close(FileReference reference, OpenDirectories.Lease parent) throws IOException {
        try (parent) {
            if (reference != null) {
                reference.close();
            }
        }
    }
}
