package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_EXIST;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_ISDIR;
import static io.verbena.nfs41.Status.NFS4ERR_ROFS;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.nfs41.ChangeInfo;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/** What changes the exported tree's names. What confines it is told at {@link ExportTree}. Thread safe. */
public final class TreeChanges {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final int SET_GID = 02000;

    private final ExportTree tree;
    private final AttributeChanger attributeChanger;
    private final boolean readOnly;
    private final Consumer<Inode> removed;

    /**
     * @param removed told of each object whose last name has been removed
     */
    public TreeChanges(ExportTree tree, AttributeChanger attributeChanger, boolean readOnly, Consumer<Inode> removed) {
        this.removed = removed;
        this.tree = tree;
        this.attributeChanger = attributeChanger;
        this.readOnly = readOnly;
    }

    /**
     * A change made.
     *
     * @param object the new object; null where none was made
     * @param change how the directory changed
     */
    public record Changed(Found object, ChangeInfo change) {}

    /** How an object comes to be, given the path it shall have; its directory is pinned. */
    @FunctionalInterface
    private interface Maker {
        void make(PinnedDirectory pinned, String name) throws IOException;
    }

    /** Refuses every change where the export can only be read. */
    public void requireWritable() throws NfsError {
        if (readOnly) {
            throw new NfsError(NFS4ERR_ROFS);
        }
    }

    /**
     * Makes an empty regular file.
     *
     * @throws NfsError {@code EXIST} where the name is taken
     */
    public Changed createFile(Inode parent, String name, AttributeSettings settings, Caller caller) throws IOException {
        return create(parent, name, settings, caller, (pinned, entry) -> {
            FileChannel made = pinned.open(
                    entry, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY_FILE);
            made.close();
        });
    }

    public Changed createDirectory(Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        return create(
                parent,
                name,
                settings,
                caller,
                (pinned, entry) -> Files.createDirectory(pinned.path(entry), OWNER_ONLY_DIRECTORY));
    }

    /** Makes a symbolic link; its text is the client's and is never followed here. */
    public Changed createSymbolicLink(Inode parent, String name, String text, AttributeSettings settings, Caller caller)
            throws IOException {
        if (text.isEmpty() || text.indexOf('\0') >= 0) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return create(
                parent,
                name,
                settings.withMode(null),
                caller,
                (pinned, entry) -> Files.createSymbolicLink(pinned.path(entry), Path.of(text)));
    }

    private Changed create(Inode parent, String name, AttributeSettings settings, Caller caller, Maker maker)
            throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            if (pinned.attributesIfThere(name) != null) {
                throw new NfsError(NFS4ERR_EXIST);
            }
            ExportTree.require(caller, pinned.attributes(), Caller.WRITE | Caller.EXECUTE);
            long before = ExportTree.change(parent, pinned.attributes());
            maker.make(pinned, name);
            parent.changed();
            if (pinned.attributesIfThere(name) == null) {
                throw new NfsError(NFS4ERR_STALE); // made by a path that no longer leads here
            }
            Found made = finish(pinned, parent, name, settings, caller);
            return new Changed(made, changeInfo(parent, before));
        } finally {
            lock.unlock();
        }
    }

    /** Gives a new object its owner and attributes. */
    private Found finish(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        Found made = tree.found(pinned, parent, name);
        attributeChanger.initialize(pinned, name, made.attributes(), initial(pinned, made, settings, caller));
        return new Found(made.inode(), pinned.attributes(name));
    }

    private static AttributeSettings initial(
            PinnedDirectory pinned, Found made, AttributeSettings settings, Caller caller) {
        UnixAttributes directory = pinned.attributes();
        boolean inherits = (directory.mode() & SET_GID) != 0;
        Integer mode = settings.mode();
        if (mode == null && !made.attributes().isSymbolicLink()) {
            mode = made.attributes().isDirectory() ? 0755 : 0644;
        }
        if (mode != null && inherits && made.attributes().isDirectory()) {
            mode |= SET_GID;
        }
        Integer uid = settings.uid() != null && caller.isRoot() ? settings.uid() : Integer.valueOf(caller.uid());
        int gid = settings.gid() != null && (caller.isRoot() || caller.isIn(settings.gid()))
                ? settings.gid()
                : inherits ? directory.gid() : caller.gid();
        return settings.withMode(mode).withOwner(uid, gid);
    }

    /** Gives an object a further name. */
    public ChangeInfo link(Inode object, Inode parent, String name, Caller caller) throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            if (pinned.attributesIfThere(name) != null) {
                throw new NfsError(NFS4ERR_EXIST);
            }
            ExportTree.require(caller, pinned.attributes(), Caller.WRITE | Caller.EXECUTE);
            if (tree.attributes(object).isDirectory()) {
                throw new NfsError(NFS4ERR_ISDIR);
            }
            long before = ExportTree.change(parent, pinned.attributes());
            Files.createLink(pinned.path(name), tree.index().path(object));
            parent.changed();
            object.changed();
            UnixAttributes made = pinned.attributesIfThere(name);
            if (made == null || made.ino() != object.number()) {
                if (made != null) {
                    pinned.remove(name, false);
                }
                throw new NfsError(NFS4ERR_STALE);
            }
            object.seenAt(parent, name);
            return changeInfo(parent, before);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a name; of a directory only where it is empty. */
    public ChangeInfo remove(Inode parent, String name, Caller caller, NameGuard guard) throws IOException {
        requireWritable();
        Names.check(name);
        Lock lock = tree.namespace().writeLock();
        lock.lock();
        try (PinnedDirectory pinned = tree.pin(parent)) {
            Found found = tree.found(pinned, parent, name);
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
    public ChangeInfo[] rename(Inode from, String oldName, Inode to, String newName, Caller caller, NameGuard guard)
            throws IOException {
        requireWritable();
        Names.check(oldName);
        Names.check(newName);
        Lock lock = tree.namespace().writeLock();
        lock.lock();
        try (PinnedDirectory source = tree.pin(from);
                PinnedDirectory target = tree.pin(to)) {
            Found moved = tree.found(source, from, oldName);
            requireRemovable(caller, source, moved.attributes());
            ExportTree.require(caller, target.attributes(), Caller.WRITE | Caller.EXECUTE);
            UnixAttributes replaced = target.attributesIfThere(newName);
            long fromBefore = ExportTree.change(from, source.attributes());
            long toBefore = ExportTree.change(to, target.attributes());
            boolean isSame = replaced != null && replaced.ino() == moved.inode().number();
            if (!isSame) {
                if (replaced != null) {
                    requireReplaceable(caller, target, replaced, moved.attributes());
                }
                NameGuard.Change rename = () -> {
                    source.rename(oldName, target, newName);
                    moved(moved, replaced, from, oldName, to, newName);
                };
                Inode lost = replaced == null
                        ? null
                        : tree.found(target, to, newName).inode();
                guard.guard(moved.inode(), lost == null ? rename : () -> guard.guard(lost, rename));
            }
            return new ChangeInfo[] {changeInfo(from, fromBefore), changeInfo(to, toBefore)};
        } finally {
            lock.unlock();
        }
    }

    private void moved(Found moved, UnixAttributes replaced, Inode from, String oldName, Inode to, String newName) {
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
        if (moved.attributes().isDirectory()) {
            tree.index().directoryMoved();
        }
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
            tree.index().removed(inode);
            removed.accept(inode);
        }
    }

    private ChangeInfo changeInfo(Inode directory, long before) throws IOException {
        // not atomic: a process on this host may change the directory, too
        return new ChangeInfo(false, before, ExportTree.change(directory, tree.attributes(directory)));
    }

    /**
     * Changes attributes but the size.
     *
     * @return the attributes behind it
     */
    public UnixAttributes setAttributes(Inode inode, AttributeSettings settings, Caller caller) throws IOException {
        requireWritable();
        Lock lock = tree.namespace().readLock();
        lock.lock();
        try {
            if (inode.isRoot()) {
                try (PinnedDirectory pinned = tree.pin(inode)) {
                    attributeChanger.change(pinned, pinned.attributes(), settings, caller);
                }
            } else {
                tree.atPlace(inode, (pinned, name, attributes) -> {
                    attributeChanger.change(pinned, name, attributes, settings, caller);
                    return null;
                });
            }
            inode.changed();
            return tree.attributes(inode);
        } finally {
            lock.unlock();
        }
    }
}
