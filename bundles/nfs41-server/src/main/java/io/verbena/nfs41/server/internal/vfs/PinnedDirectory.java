package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_NOENT;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.FileSystemSpace;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;

/**
 * An open directory whose identity has been checked. Its entries are reached by its descriptor, whatever happens to its
 * path meanwhile. Names are texts of octets ({@link OctetText}). Used for one operation on one thread.
 */
final class PinnedDirectory implements Closeable {
    private final OpenDirectories.Lease lease;
    private final Directory directory;
    private final UnixAttributes attributes;

    /** @param attributes the present attributes of the directory */
    PinnedDirectory(OpenDirectories.Lease lease, UnixAttributes attributes) {
        this.lease = lease;
        this.directory = lease.directory();
        this.attributes = attributes;
    }

    /** The directory's attributes when it was pinned. */
    UnixAttributes attributes() {
        return attributes;
    }

    /** A reference to the directory itself, by which its attributes are set. */
    FileReference reference() {
        return directory;
    }

    /**
     * The attributes of an entry.
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

    /** The attributes of an entry; null if there is none. */
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

    /** A reference to an entry of any type, which the caller closes before this directory. */
    FileReference refer(String name) throws IOException {
        return lease.refer(name);
    }

    /** Opens a directory in this one, which the caller closes. */
    Directory openDirectory(String name) throws IOException {
        return lease.descriptors().open(() -> directory.openDirectory(OctetText.encode(name)));
    }

    /** Creates a file, and returns a reference to it, which the caller closes before this directory. */
    FileReference createFile(String name, int mode) throws IOException {
        return lease.descriptors().open(() -> directory.createFile(OctetText.encode(name), mode));
    }

    void createDirectory(String name, int mode) throws IOException {
        directory.createDirectory(OctetText.encode(name), mode);
    }

    void createSymbolicLink(String name, byte[] text) throws IOException {
        directory.createSymbolicLink(OctetText.encode(name), text);
    }

    void createSpecial(String name, int mode, long rdev) throws IOException {
        directory.createSpecial(OctetText.encode(name), mode, rdev);
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

    /** Passes the octets of each name in the directory to a consumer. */
    void forEachName(Directory.NameConsumer consumer) throws IOException {
        Object unused = lease.descriptors().open(() -> {
            directory.forEachName(consumer);
            return null;
        });
    }

    /** Brings the names in the directory to stable storage. Blocks. */
    void sync() throws IOException {
        directory.sync();
    }

    /** As {@link Directory#space}. */
    FileSystemSpace space() throws IOException {
        return directory.space();
    }

    /** As {@link Directory#syncFileSystem}. */
    boolean syncFileSystem() throws IOException {
        return directory.syncFileSystem();
    }

    /** Releases the directory, which may stay open for the next user. */
    @Override
    public void close() {
        lease.close();
    }
}
