package io.verbena.simulation.disk;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A descriptor of an object. */
class DiskReference implements FileReference {
    private static final int NO_USER = -1;

    private final SimulatedDisk disk;
    private final Inode inode;
    private final int restart;
    private boolean isClosed;

    DiskReference(SimulatedDisk disk, Inode inode) {
        this.disk = disk;
        this.inode = inode;
        restart = disk.restart();
        disk.openObjects().opened(inode);
    }

    final SimulatedDisk disk() {
        return disk;
    }

    /** The object, if this is open and the power has not failed since. */
    final Inode inode() throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        if (restart != disk.restart()) {
            throw Failures.of(Errno.EIO, (String) null);
        }
        return inode;
    }

    /** Charges an operation, and returns the object. */
    final Inode charged(DiskOperation operation) throws IOException {
        Inode unused = inode();
        disk.charge(operation, 0);
        return inode();
    }

    @Override
    public final FileStatus status() throws IOException {
        return charged(DiskOperation.STATUS).status(disk.device());
    }

    @Override
    public final void setMode(int mode) throws IOException {
        Inode object = charged(DiskOperation.CHANGE);
        if (object.attributes.isSymbolicLink()) {
            throw Failures.of(Errno.EOPNOTSUPP, (String) null);
        }
        disk.journal().change(object, object.attributes.withMode(mode, disk.now()));
    }

    @Override
    public final void setOwner(Integer uid, Integer gid) throws IOException {
        Inode object = charged(DiskOperation.CHANGE);
        if ((uid != null && uid == NO_USER) || (gid != null && gid == NO_USER)) {
            throw Failures.of(Errno.EINVAL, (String) null);
        }
        Attributes old = object.attributes;
        int newUid = uid == null ? old.uid() : uid;
        int newGid = gid == null ? old.gid() : gid;
        disk.journal().change(object, old.withOwner(newUid, newGid, disk.now()));
    }

    @Override
    public final void setTimes(FileTime accessed, FileTime modified) throws IOException {
        Inode object = charged(DiskOperation.CHANGE);
        if (accessed != null || modified != null) {
            Attributes old = object.attributes;
            FileTime newAccessed = accessed == null ? old.accessed() : accessed;
            FileTime newModified = modified == null ? old.modified() : modified;
            disk.journal().change(object, old.withTimes(newAccessed, newModified, disk.now()));
        }
    }

    @Override
    public final byte[] readLink() throws IOException {
        Inode object = charged(DiskOperation.STATUS);
        if (object.text == null) {
            throw new NotLinkException(null);
        }
        return object.text.clone();
    }

    @Override
    public final FileChannel open(boolean write) throws IOException {
        return open(
                write
                        ? EnumSet.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
                        : EnumSet.of(StandardOpenOption.READ));
    }

    @Override
    public final FileChannel open(Set<? extends OpenOption> options) throws IOException {
        ChannelMode mode = ChannelMode.of(options);
        Inode object = charged(DiskOperation.OPEN);
        if (object.content == null) {
            throw Failures.of(Errno.EINVAL, (String) null);
        }
        return new DiskChannel(disk, object, mode);
    }

    @Override
    public final boolean isWritable() throws IOException {
        Inode unused = charged(DiskOperation.STATUS);
        return true;
    }

    /** Fails: the users of the machine are none of this disk's. */
    @Override
    public final void setPrincipals(UserPrincipal owner, GroupPrincipal group) throws IOException {
        Inode unused = charged(DiskOperation.CHANGE);
        throw Failures.of(Errno.EOPNOTSUPP, (String) null);
    }

    @Override
    public final List<String> extendedAttributeNames() throws IOException {
        Inode unused = charged(DiskOperation.STATUS);
        return List.of();
    }

    @Override
    public final Optional<FileReference> duplicate() throws IOException {
        return Optional.of(new DiskReference(disk, charged(DiskOperation.OPEN)));
    }

    @Override
    public final void close() {
        if (!isClosed) {
            isClosed = true;
            disk.closed(inode, restart);
        }
    }
}
