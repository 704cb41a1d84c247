package io.verbena.simulation.disk;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.Errno;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.FileSystemSpace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A descriptor of a directory. */
final class DiskDirectory extends DiskReference implements Directory {
    private static final int FILE_BITS = 07777;
    private static final int DIRECTORY_BITS = 01777;
    private static final int LINK_MODE = Attributes.SYMBOLIC_LINK | 0777;
    private static final int MAX_TEXT = 4095;
    private static final long SPACE = 1L << 40;
    private static final long FILES = 1L << 30;

    /** The failed forces of the file system that this descriptor has reported. */
    private int cursor;

    DiskDirectory(SimulatedDisk disk, Inode inode) {
        super(disk, inode);
        cursor = disk.errors().cursor();
    }

    @Override
    public FileStatus status(byte[] name) throws IOException {
        Name checked = Name.of(name);
        Inode found = Namespace.find(charged(DiskOperation.STATUS), checked);
        return found == null ? null : found.status(disk().device());
    }

    @Override
    public FileReference refer(byte[] name) throws IOException {
        Name checked = Name.of(name);
        return new DiskReference(disk(), Namespace.require(charged(DiskOperation.OPEN), checked));
    }

    @Override
    public Directory openDirectory(byte[] name) throws IOException {
        Name checked = Name.of(name);
        Inode found = Namespace.require(charged(DiskOperation.OPEN), checked);
        if (!found.isDirectory()) {
            throw Failures.of(Errno.ENOTDIR, checked);
        }
        return new DiskDirectory(disk(), found);
    }

    @Override
    public FileReference createFile(byte[] name, int mode) throws IOException {
        return new DiskReference(disk(), create(name, Attributes.REGULAR | (mode & FILE_BITS), null));
    }

    @Override
    public void createDirectory(byte[] name, int mode) throws IOException {
        Inode unused = create(name, Attributes.DIRECTORY | (mode & DIRECTORY_BITS), null);
    }

    @Override
    public void createSymbolicLink(byte[] name, byte[] text) throws IOException {
        byte[] copy = Name.requireText(text).clone();
        if (copy.length > MAX_TEXT) {
            throw Failures.of(Errno.ENAMETOOLONG, Name.of(name));
        }
        Inode unused = create(name, LINK_MODE, copy);
    }

    @Override
    public void createSpecial(byte[] name, int mode, long rdev) {
        Name unused = Name.of(name);
        throw new UnsupportedOperationException("the simulated disk has no special files");
    }

    private Inode create(byte[] name, int mode, byte[] text) throws IOException {
        Name checked = Name.of(name);
        Inode directory = charged(DiskOperation.CREATE);
        return disk().namespace().create(directory, checked, mode, text);
    }

    @Override
    public void link(byte[] name, FileReference object) throws IOException {
        Name checked = Name.of(name);
        DiskReference linked = (DiskReference) object;
        Inode directory = charged(DiskOperation.LINK);
        requireSameDisk(linked, checked);
        disk().namespace().link(directory, checked, linked.inode());
    }

    @Override
    public void remove(byte[] name, boolean directory) throws IOException {
        Name checked = Name.of(name);
        disk().namespace().remove(charged(DiskOperation.REMOVE), checked, directory);
    }

    @Override
    public void rename(byte[] name, Directory target, byte[] newName) throws IOException {
        Name checked = Name.of(name);
        Name newChecked = Name.of(newName);
        DiskDirectory other = (DiskDirectory) target;
        Inode directory = charged(DiskOperation.RENAME);
        requireSameDisk(other, checked);
        disk().namespace().rename(directory, checked, other.inode(), newChecked);
    }

    private void requireSameDisk(DiskReference other, Name name) throws IOException {
        if (other.disk() != disk()) {
            throw Failures.of(Errno.EXDEV, name);
        }
    }

    /** Hands over the names that there are when the call begins. */
    @Override
    public void forEachName(NameConsumer consumer) throws IOException {
        List<Name> names = new ArrayList<>(charged(DiskOperation.LIST).entries.keySet());
        for (Name name : names) {
            if (!consumer.accept(name.octets())) {
                return;
            }
        }
    }

    @Override
    public void sync() throws IOException {
        PendingForce pending = charged(DiskOperation.SYNC, List.of(), inode().lastChange);
        if (disk().faults().strikes(DiskFault.SYNC_ERROR)) {
            pending.cancel();
            throw Failures.of(Errno.EIO, (String) null);
        }
        pending.succeed();
    }

    /** A disk that is never full. */
    @Override
    public FileSystemSpace space() {
        return new FileSystemSpace(SPACE, SPACE, SPACE, FILES, FILES, FILES);
    }

    @Override
    public boolean syncFileSystem() throws IOException {
        Inode unused = inode();
        long end = disk().journal().end();
        PendingForce pending = charged(DiskOperation.SYNC_ALL, disk().dirtyFiles(), end);
        if (disk().faults().strikes(DiskFault.SYNC_ERROR)) {
            pending.fail();
        } else {
            pending.succeed();
        }
        if (disk().errors().isNews(cursor)) {
            cursor = disk().errors().tell();
            disk().faults().reportLate();
            throw Failures.of(Errno.EIO, (String) null);
        }
        return true;
    }

    private PendingForce charged(DiskOperation operation, Collection<Inode> files, long mark) throws IOException {
        PendingForce pending = new PendingForce(disk(), files, mark);
        boolean isCharged = false;
        try {
            disk().charge(operation, pending.octets());
            Inode unused = inode();
            isCharged = true;
        } finally {
            if (!isCharged) {
                pending.cancel();
            }
        }
        return pending;
    }
}
