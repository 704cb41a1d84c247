package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.Objects;

/** The file system of the server that holds a path's file. */
public final class NfsFileStore extends FileStore {
    private final NfsPath path;
    /** The two numbers of the attribute fsid (RFC 8881 section 5.8.1.9). */
    private final long major;

    private final long minor;

    private NfsFileStore(NfsPath path, long major, long minor) {
        this.path = path;
        this.major = major;
        this.minor = minor;
    }

    /** The store of the file that the path leads to. */
    public static NfsFileStore of(NfsPath path) throws IOException {
        FileAttributes attributes = path.system().attributes(path, true);
        return new NfsFileStore(path, attributes.fileSystemMajor(), attributes.fileSystemMinor());
    }

    private FileSystemStatus status() throws IOException {
        return path.system().mount().call(path, mount -> mount.fileSystemStatus(path.mountPath()));
    }

    @Override
    public String name() {
        return path.system().toString();
    }

    @Override
    public String type() {
        return "nfs4";
    }

    @Override
    public boolean isReadOnly() {
        return path.system().isReadOnly();
    }

    @Override
    public long getTotalSpace() throws IOException {
        return status().totalBytes();
    }

    @Override
    public long getUsableSpace() throws IOException {
        return status().availableBytes();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return status().freeBytes();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return Objects.requireNonNull(type) == BasicFileAttributeView.class
                || type == PosixFileAttributeView.class
                || type == FileOwnerAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String view) {
        return NamedAttributes.VIEWS.contains(view);
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        Objects.requireNonNull(type);
        return null;
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return switch (attribute) {
            case "totalSpace" -> getTotalSpace();
            case "usableSpace" -> getUsableSpace();
            case "unallocatedSpace" -> getUnallocatedSpace();
            default -> // as FileStore.getAttribute specifies for unknown attributes
                throw new UnsupportedOperationException("there is no attribute '" + attribute + "' of a file store");
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NfsFileStore that
                && that.path.system() == path.system()
                && that.major == major
                && that.minor == minor;
    }

    @Override
    public int hashCode() {
        return Objects.hash(major, minor);
    }

    @Override
    public String toString() {
        return name();
    }
}
