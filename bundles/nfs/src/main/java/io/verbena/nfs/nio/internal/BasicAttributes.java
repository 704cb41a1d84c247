package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** A file's attributes at one moment. Servers need not know when a file was made: that it was modified last stands in. */
class BasicAttributes implements BasicFileAttributes {
    private final FileAttributes remote;

    BasicAttributes(FileAttributes remote) {
        this.remote = remote;
    }

    final FileAttributes remote() {
        return remote;
    }

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
}
