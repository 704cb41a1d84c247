package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_BADTYPE;
import static io.verbena.nfs41.Status.NFS4ERR_EXIST;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_ISDIR;
import static io.verbena.nfs41.Status.NFS4ERR_PERM;
import static io.verbena.nfs41.Status.NFS4ERR_ROFS;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.nfs41.ChangeInfo;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.AttributeProgress;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.Names;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * Operations that change names in the exported tree: create, link, rename, remove. {@link ExportTree} describes their
 * confinement. Thread safe.
 */
public final class TreeChanges {
    private final ExportTree tree;
    private final AttributeChanger attributeChanger;
    private final boolean readOnly;
    private final Consumer<Inode> removed;
    private final NewObjects newObjects;

    /** @param removed called for each object whose last name has been removed */
    public TreeChanges(
            ExportTree tree,
            AttributeChanger attributeChanger,
            boolean readOnly,
            Consumer<Inode> removed,
            Runtime runtime) {
        this.removed = removed;
        this.tree = tree;
        this.attributeChanger = attributeChanger;
        this.readOnly = readOnly;
        this.newObjects = new NewObjects(tree, attributeChanger, this::gone, runtime);
    }

    /**
     * A change that was made.
     *
     * @param object the new object; null if none was created
     * @param change how the directory has changed
     */
    public record Changed(FoundObject object, ChangeInfo change) {}

    /** Throws if the export is read-only. */
    public void requireWritable() throws NfsError {
        if (readOnly) {
            throw new NfsError(NFS4ERR_ROFS);
        }
    }

    /** Creates an object in a directory, or leaves nothing behind. */
    @FunctionalInterface
    private interface Maker {
        FoundObject make(PinnedDirectory pinned) throws IOException;
    }

    /**
     * Creates a regular file, empty or with a hole. The file stays open for the OPEN that creates it, whatever its mode
     * is.
     *
     * @throws NfsError {@code EXIST} if the name exists
     */
    public Changed createFile(Inode parent, String name, AttributeSettings settings, Caller caller) throws IOException {
        return create(parent, name, caller, pinned -> newObjects.file(pinned, parent, name, settings, caller));
    }

    public Changed createDirectory(Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        return create(parent, name, caller, pinned -> newObjects.directory(pinned, parent, name, settings, caller));
    }

    /** Creates a symbolic link; the server never follows its text, which comes from the client. */
    public Changed createSymbolicLink(Inode parent, String name, String text, AttributeSettings settings, Caller caller)
            throws IOException {
        if (text.isEmpty() || text.indexOf('\0') >= 0 || !OctetText.isEncodable(text)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        byte[] octets = OctetText.encode(text);
        AttributeSettings possible = settings.withMode(null);
        return create(
                parent,
                name,
                caller,
                pinned -> newObjects.symbolicLink(pinned, parent, name, octets, possible, caller));
    }

    /**
     * Creates a FIFO, a socket or a device file.
     *
     * @param type as in the mode of stat(2)
     * @param rdev the number of a device as in {@code st_rdev} of stat(2), 0 for another object
     * @throws NfsError {@code PERM} for a device that a user other than root asks for, as mknod(2); {@code BADTYPE} if
     *     the host makes no such objects
     */
    public Changed createSpecial(
            Inode parent, String name, int type, long rdev, AttributeSettings settings, Caller caller)
            throws IOException {
        boolean isDevice = type == UnixAttributes.CHARACTER_DEVICE || type == UnixAttributes.BLOCK_DEVICE;
        if (isDevice && !caller.isRoot()) {
            throw new NfsError(NFS4ERR_PERM);
        }
        try {
            return create(
                    parent,
                    name,
                    caller,
                    pinned -> newObjects.special(pinned, parent, name, type, rdev, settings, caller));
        } catch (UnsupportedOperationException e) {
            throw new NfsError(NFS4ERR_BADTYPE);
        }
    }

    private Changed create(Inode parent, String name, Caller caller, Maker maker) throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            requireSearchable(caller, pinned);
            requireFree(pinned, name);
            ExportTree.require(caller, pinned.attributes(), Caller.WRITE | Caller.EXECUTE);
            long before = ExportTree.change(parent, pinned.attributes());
            FoundObject made;
            try {
                made = maker.make(pinned);
            } finally {
                parent.changed();
            }
            return new Changed(made, changeInfo(parent, before));
        } finally {
            lock.unlock();
        }
    }

    /** Who may not search a directory is not told of its names. */
    private static void requireSearchable(Caller caller, PinnedDirectory pinned) throws NfsError {
        ExportTree.require(caller, pinned.attributes(), Caller.EXECUTE);
    }

    private static void requireFree(PinnedDirectory pinned, String name) throws IOException {
        if (pinned.attributesIfThere(name) != null) {
            throw new NfsError(NFS4ERR_EXIST);
        }
    }

    /** Creates a hard link to an object. */
    public ChangeInfo link(Inode object, Inode parent, String name, Caller caller) throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            requireSearchable(caller, pinned);
            requireFree(pinned, name);
            ExportTree.require(caller, pinned.attributes(), Caller.WRITE | Caller.EXECUTE);
            long before = ExportTree.change(parent, pinned.attributes());
            tree.withReference(object, (reference, attributes) -> {
                if (attributes.isDirectory()) {
                    throw new NfsError(NFS4ERR_ISDIR);
                }
                if (attributes.linkCount() == 0) {
                    throw new NfsError(NFS4ERR_STALE); // the object is open and has no name
                }
                pinned.link(name, reference);
                return null;
            });
            parent.changed();
            object.changed();
            object.seenAt(parent, name);
            return changeInfo(parent, before);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a name; that of a directory only if the directory is empty. */
    public ChangeInfo remove(Inode parent, String name, Caller caller, RemovalGuard guard) throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().writeLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            requireSearchable(caller, pinned);
            FoundObject found = tree.found(pinned, parent, name);
            UnixAttributes entry = found.attributes();
            requireRemovable(caller, pinned, entry);
            long before = ExportTree.change(parent, pinned.attributes());
            guard.guard(found.inode(), () -> {
                pinned.remove(name, entry.isDirectory());
                parent.changed();
                gone(entry, parent, name);
            });
            return changeInfo(parent, before);
        } finally {
            lock.unlock();
        }
    }

    /** As rename(2): an existing target of the same kind is replaced. */
    public ChangeInfo[] rename(Inode from, String oldName, Inode to, String newName, Caller caller, RemovalGuard guard)
            throws IOException {
        requireWritable();
        Names.check(oldName);
        Names.check(newName);
        boolean isOneDirectory = from.equals(to);
        Lock lock = tree.namespace().writeLock();
        lock.lock();
        try (PinnedDirectory source = tree.pin(from);
                PinnedDirectory other = isOneDirectory ? null : tree.pin(to)) {
            PinnedDirectory target = isOneDirectory ? source : other;
            requireSearchable(caller, source);
            FoundObject moved = tree.found(source, from, oldName);
            requireRemovable(caller, source, moved.attributes());
            if (moved.attributes().isDirectory() && !isOneDirectory) { // its entry ".." changes
                ExportTree.require(caller, moved.attributes(), Caller.WRITE);
            }
            ExportTree.require(caller, target.attributes(), Caller.WRITE | Caller.EXECUTE);
            UnixAttributes replaced = target.attributesIfThere(newName);
            long fromBefore = ExportTree.change(from, source.attributes());
            long toBefore = ExportTree.change(to, target.attributes());
            boolean isSame = replaced != null && replaced.ino() == moved.inode().number();
            if (!isSame) {
                if (replaced != null) {
                    requireReplaceable(caller, target, replaced, moved.attributes());
                }
                RemovalGuard.Change rename = () -> {
                    source.rename(oldName, target, newName);
                    moved(moved, replaced, from, oldName, to, newName);
                };
                Inode lost = replaced == null
                        ? null
                        : tree.found(target, to, newName).inode();
                guard.guard(moved.inode(), lost == null ? rename : () -> guard.guard(lost, rename));
            }
            ChangeInfo fromChange = changeInfo(from, fromBefore);
            return new ChangeInfo[] {fromChange, isOneDirectory ? fromChange : changeInfo(to, toBefore)};
        } finally {
            lock.unlock();
        }
    }

    private void moved(
            FoundObject moved, UnixAttributes replaced, Inode from, String oldName, Inode to, String newName) {
        from.changed();
        if (!to.equals(from)) {
            to.changed();
        }
        if (replaced != null) {
            gone(replaced, to, newName);
        }
        moved.inode().goneFrom(from, oldName);
        moved.inode().seenAt(to, newName);
        moved.inode().changed();
    }

    private static void requireReplaceable(
            Caller caller, PinnedDirectory target, UnixAttributes replaced, UnixAttributes moved) throws NfsError {
        requireRemovable(caller, target, replaced);
        if (replaced.isDirectory() != moved.isDirectory()) {
            throw new NfsError(NFS4ERR_EXIST); // RFC 8881 section 18.26.3
        }
    }

    private static void requireRemovable(Caller caller, PinnedDirectory pinned, UnixAttributes entry) throws NfsError {
        ExportTree.require(caller, pinned.attributes(), Caller.WRITE | Caller.EXECUTE);
        if (!caller.mayRemoveFrom(pinned.attributes(), entry)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
    }

    private void gone(UnixAttributes entry, Inode parent, String name) {
        Inode inode = tree.index().known(entry.ino());
        if (inode == null) {
            return;
        }
        inode.goneFrom(parent, name);
        inode.changed();
        if (entry.isDirectory() || entry.linkCount() == 1) {
            removed.accept(inode); // first: a file that is open is found by that from here on
            tree.index().removed(inode);
            tree.forget(inode);
        }
    }

    private ChangeInfo changeInfo(Inode directory, long before) throws IOException {
        // not atomic: another process of this host may change the directory meanwhile
        return new ChangeInfo(false, before, ExportTree.change(directory, tree.attributes(directory)));
    }

    /**
     * Changes attributes except the size.
     *
     * @param progress told of each attribute that has been set, also if a later one fails
     */
    public void setAttributes(Inode inode, AttributeSettings settings, Caller caller, AttributeProgress progress)
            throws IOException {
        requireWritable();
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try {
            tree.withReference(inode, (reference, attributes) -> {
                attributeChanger.change(reference, attributes, settings, caller, progress);
                return null;
            });
        } finally {
            inode.changed();
            lock.unlock();
        }
    }

    /**
     * Removes the set-user-id bit of a file before a user writes to it, and the set-group-id bit if the file's group
     * may execute it or the writer is not in that group. So no content runs as another user than its writer. Linux does
     * the same for all users except root, and for this process itself if it does not run as root.
     *
     * @return whether the file had such a bit
     */
    public boolean dropSetId(Inode inode, Caller writer) throws IOException {
        if (writer.isRoot() || !attributeChanger.isRootProcess()) {
            return false;
        }
        UnixAttributes current = tree.attributes(inode);
        int dropped = AttributeChanger.droppedByWrite(current, writer);
        if (dropped != 0) {
            AttributeSettings settings = AttributeSettings.NONE.withMode(current.permissions() & ~dropped);
            setAttributes(inode, settings, Caller.ROOT, new AttributeProgress());
        }
        return dropped != 0;
    }
}
