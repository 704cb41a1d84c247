package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * A file's attributes at one moment. The creation time is the time of the last change, since servers need not know it.
 */
public class BasicAttributes implements BasicFileAttributes {
    private final FileAttributes attributes;

    public BasicAttributes(FileAttributes attributes) {
        this.attributes = attributes;
    }

    final FileAttributes attributes() {
        return attributes;
    }

    @Override
    public FileTime lastModifiedTime() {
        return FileTime.from(attributes.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return FileTime.from(attributes.accessed());
    }

    @Override
    public FileTime creationTime() {
        return lastModifiedTime();
    }

    @Override
    public boolean isRegularFile() {
        return attributes.isRegularFile();
    }

    @Override
    public boolean isDirectory() {
        return attributes.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return attributes.isSymbolicLink();
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    @Override
    public long size() {
        return attributes.size();
    }

    @Override
    public Object fileKey() {
        return FileKey.of(attributes);
    }
}
