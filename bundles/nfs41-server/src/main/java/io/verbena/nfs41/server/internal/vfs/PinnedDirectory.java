package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_NOENT;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;

/**
 * An open directory whose identity has been checked: its entries are reached from its descriptor, whatever happens to
 * its path meanwhile. Names are texts of octets ({@link OctetText}). For one operation on one thread.
 */
final class PinnedDirectory implements Closeable {
    private final OpenDirectories.Lease lease;
    private final Directory directory;
    private final UnixAttributes attributes;

    /**
     * @param attributes the directory's own, now
     */
    PinnedDirectory(OpenDirectories.Lease lease, UnixAttributes attributes) {
        this.lease = lease;
        this.directory = lease.directory();
        this.attributes = attributes;
    }

    /** The directory's attributes when it was pinned. */
    UnixAttributes attributes() {
        return attributes;
    }

    /** The directory itself, to set its attributes. */
    FileReference reference() {
        return directory;
    }

    /**
     * An entry's attributes.
     *
     * @throws NfsError {@code NOENT}, or {@code ACCESS} for the root of another file system
     */
    UnixAttributes attributes(String name) throws IOException {
        UnixAttributes found = attributesIfThere(name);
        if (found == null) {
            throw new NfsError(NFS4ERR_NOENT);
        }
        return found;
    }

    /** An entry's attributes, or null where there is none. */
    UnixAttributes attributesIfThere(String name) throws IOException {
        FileStatus status = directory.status(OctetText.encode(name));
        if (status == null) {
            return null;
        }
        if (status.device() != attributes.device()) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
        return UnixAttributes.of(status);
    }

    /** A reference to an entry of any kind, which the caller closes before this directory. */
    FileReference refer(String name) throws IOException {
        return directory.refer(OctetText.encode(name));
    }

    /** A directory in this one, which the caller closes. */
    Directory openDirectory(String name) throws IOException {
        return directory.openDirectory(OctetText.encode(name));
    }

    /** Makes a file, and gives a reference to it, which the caller closes before this directory. */
    FileReference createFile(String name, int mode) throws IOException {
        return directory.createFile(OctetText.encode(name), mode);
    }

    void createDirectory(String name, int mode) throws IOException {
        directory.createDirectory(OctetText.encode(name), mode);
    }

    void createSymbolicLink(String name, byte[] text) throws IOException {
        directory.createSymbolicLink(OctetText.encode(name), text);
    }

    void link(String name, FileReference object) throws IOException {
        directory.link(OctetText.encode(name), object);
    }

    void remove(String name, boolean isDirectory) throws IOException {
        directory.remove(OctetText.encode(name), isDirectory);
    }

    /** As renameat(2): an existing target is replaced. */
    void rename(String name, PinnedDirectory target, String newName) throws IOException {
        directory.rename(OctetText.encode(name), target.directory, OctetText.encode(newName));
    }

    /** Hands over the octets of each name in the directory. */
    void forEachName(Directory.NameConsumer consumer) throws IOException {
        directory.forEachName(consumer);
    }

    /** Brings the names in the directory to stable storage. Blocks. */
    void sync() throws IOException {
        directory.sync();
    }

    /** As {@link Directory#syncFileSystem}. */
    boolean syncFileSystem() throws IOException {
        return directory.syncFileSystem();
    }

    /** Gives the directory back: it may stay open for the next one who pins it. */
    @Override
    public void close() {
        lease.close();
    }
}
