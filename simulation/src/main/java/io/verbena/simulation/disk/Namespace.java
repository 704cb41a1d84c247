package io.verbena.simulation.disk;

import io.verbena.dirfd.Errno;
import java.io.IOException;
import java.nio.file.attribute.FileTime;

/** The operations on names, with the errors that Linux gives, in Linux's order. Each is one transaction. */
final class Namespace {
    private static final int UMASK = 022;
    private static final int MAX_LINKS = 65_000;

    private final SimulatedDisk disk;

    Namespace(SimulatedDisk disk) {
        this.disk = disk;
    }

    /** The object of a name, or null. */
    static Inode find(Inode directory, Name name) throws IOException {
        requireLength(name);
        return directory.entries.get(name);
    }

    static Inode require(Inode directory, Name name) throws IOException {
        Inode found = find(directory, name);
        if (found == null) {
            throw Failures.of(Errno.ENOENT, name);
        }
        return found;
    }

    private static void requireLength(Name name) throws IOException {
        if (name.isTooLong()) {
            throw Failures.of(Errno.ENAMETOOLONG, name);
        }
    }

    private static void requireFree(Inode directory, Name name) throws IOException {
        if (find(directory, name) != null) {
            throw Failures.of(Errno.EEXIST, name);
        }
        if (directory.attributes.links() == 0) {
            throw Failures.of(Errno.ENOENT, name); // the directory was removed
        }
    }

    /**
     * Makes an object.
     *
     * @param mode type and permission bits
     * @param text the target of a symbolic link, else null
     */
    Inode create(Inode directory, Name name, int mode, byte[] text) throws IOException {
        requireFree(directory, name);
        Inode made = allocate(directory, name, mode, text);
        Transaction transaction = new Transaction().put(directory, name, made).change(made, made.attributes);
        int links = directory.attributes.links() + (made.isDirectory() ? 1 : 0);
        disk.journal().add(transaction.change(directory, directory.attributes.modified(links, disk.now())));
        made.lastDataChange = made.lastChange;
        return made;
    }

    private Inode allocate(Inode directory, Name name, int mode, byte[] text) throws IOException {
        boolean isDirectory = (mode & Attributes.TYPE_MASK) == Attributes.DIRECTORY;
        if (!disk.space().takeInode()) {
            throw Failures.of(Errno.ENOSPC, name);
        }
        if (isDirectory && !disk.space().takePage()) {
            disk.space().releaseInode();
            throw Failures.of(Errno.ENOSPC, name);
        }
        boolean inherits = (directory.attributes.mode() & Attributes.SET_GID) != 0;
        int gid = inherits ? directory.attributes.gid() : disk.gid();
        int bits = text == null ? mode & ~UMASK : mode;
        if (inherits && isDirectory) {
            bits |= Attributes.SET_GID;
        }
        FileTime now = disk.now();
        Attributes attributes = new Attributes(bits, isDirectory ? 2 : 1, disk.uid(), gid, now, now, now, now);
        return new Inode(disk.nextNumber(), attributes, text);
    }

    void link(Inode directory, Name name, Inode object) throws IOException {
        requireFree(directory, name);
        if (object.isDirectory()) {
            throw Failures.of(Errno.EPERM, name);
        }
        int links = object.attributes.links();
        if (links == 0) {
            throw Failures.of(Errno.ENOENT, name);
        }
        if (links == MAX_LINKS) {
            throw Failures.of(Errno.EMLINK, name);
        }
        FileTime now = disk.now();
        disk.journal()
                .add(new Transaction()
                        .put(directory, name, object)
                        .change(object, object.attributes.withLinks(links + 1, now))
                        .change(directory, directory.attributes.modified(now)));
    }

    void remove(Inode directory, Name name, boolean isDirectory) throws IOException {
        Inode object = require(directory, name);
        requireKind(name, object, isDirectory);
        requireEmpty(name, object);
        FileTime now = disk.now();
        Transaction transaction = new Transaction().remove(directory, name);
        drop(transaction, object, now);
        int links = directory.attributes.links() - (isDirectory ? 1 : 0);
        disk.journal().add(transaction.change(directory, directory.attributes.modified(links, now)));
        freeIfGone(object);
    }

    private static void requireKind(Name name, Inode object, boolean isDirectory) throws IOException {
        if (isDirectory && !object.isDirectory()) {
            throw Failures.of(Errno.ENOTDIR, name);
        }
        if (!isDirectory && object.isDirectory()) {
            throw Failures.of(Errno.EISDIR, name);
        }
    }

    private static void requireEmpty(Name name, Inode object) throws IOException {
        if (object.isDirectory() && !object.entries.isEmpty()) {
            throw Failures.of(Errno.ENOTEMPTY, name);
        }
    }

    /** Takes a name from an object; a directory has no other one. */
    private static void drop(Transaction transaction, Inode object, FileTime now) {
        int links = object.isDirectory() ? 0 : object.attributes.links() - 1;
        transaction.change(object, object.attributes.withLinks(links, now));
    }

    private void freeIfGone(Inode object) {
        if (object.attributes.links() == 0 && disk.openObjects().lostItsName(object)) {
            disk.freed(object);
        }
    }

    void rename(Inode source, Name name, Inode target, Name newName) throws IOException {
        Inode object = require(source, name);
        Inode replaced = find(target, newName);
        if (isInside(target, object)) {
            throw Failures.of(Errno.EINVAL, name);
        }
        if (replaced != null && isInside(source, replaced)) {
            throw Failures.of(Errno.ENOTEMPTY, newName);
        }
        if (object == replaced) {
            return;
        }
        if (target.attributes.links() == 0) {
            throw Failures.of(Errno.ENOENT, newName);
        }
        if (replaced != null) {
            requireKind(newName, replaced, object.isDirectory());
            requireEmpty(newName, replaced);
        }
        disk.journal().add(renamed(source, name, target, newName, replaced));
        if (replaced != null) {
            freeIfGone(replaced);
        }
    }

    private Transaction renamed(Inode source, Name name, Inode target, Name newName, Inode replaced) {
        Inode object = source.entries.get(name);
        FileTime now = disk.now();
        Transaction transaction = new Transaction().remove(source, name).put(target, newName, object);
        if (replaced != null) {
            drop(transaction, replaced, now);
        }
        transaction.change(object, object.attributes.withLinks(object.attributes.links(), now));
        boolean isDirectory = object.isDirectory();
        int links = source.attributes.links() - (isDirectory ? 1 : 0);
        transaction.change(source, source.attributes.modified(links, now));
        // one more subdirectory, unless the one that is replaced was one
        int newLinks = target.attributes.links() + (isDirectory && replaced == null ? 1 : 0);
        return transaction.change(target, target.attributes.modified(newLinks, now));
    }

    /** Whether a directory is an object, or somewhere in it. */
    private static boolean isInside(Inode directory, Inode object) {
        Inode at = directory;
        while (at != object && at.parent != at) {
            at = at.parent;
        }
        return at == object && object.isDirectory();
    }
}
