package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** A file's attributes at one moment. Servers need not know when a file was made: that it was modified last stands in. */
record NfsFileAttributes(FileAttributes remote) implements PosixFileAttributes {
    @Override
    public FileTime lastModifiedTime() {
        return FileTime.from(remote.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return FileTime.from(remote.accessed());
    }

    @Override
    public FileTime creationTime() {
        return lastModifiedTime();
    }

    @Override
    public boolean isRegularFile() {
        return remote.isRegularFile();
    }

    @Override
    public boolean isDirectory() {
        return remote.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return remote.isSymbolicLink();
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    @Override
    public long size() {
        return remote.size();
    }

    @Override
    public Object fileKey() {
        return FileKey.of(remote);
    }

    @Override
    public UserPrincipal owner() {
        return new NfsPrincipal(remote.owner());
    }

    @Override
    public GroupPrincipal group() {
        return new NfsPrincipal(remote.group());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return Modes.permissions(remote.mode());
    }
}
