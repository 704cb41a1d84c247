package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_NOENT;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * An open directory whose identity has been checked: its entries are reached from its descriptor (openat(2) and its
 * like), whatever happens to the path meanwhile. For one operation on one thread.
 */
final class PinnedDirectory implements Closeable {
    private static final int ATTEMPTS = 3;

    private final Path path;
    private final UnixAttributes attributes;
    private final SecureDirectoryStream<Path> stream;

    private PinnedDirectory(Path path, UnixAttributes attributes, SecureDirectoryStream<Path> stream) {
        this.path = path;
        this.attributes = attributes;
        this.stream = stream;
    }

    /** Whether this JDK and the directory's file system can pin directories at all. */
    static boolean isPossible(Path directory) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            return stream instanceof SecureDirectoryStream;
        }
    }

    /**
     * Opens the directory at a path.
     *
     * @param expected the attributes of the directory that must be there, as its handle or a look-up has told
     * @throws NfsError {@code STALE} where another one is
     */
    @SuppressWarnings("StreamResourceLeak") // what is returned closes it
    static PinnedDirectory open(Path path, UnixAttributes expected) throws IOException {
        SecureDirectoryStream<Path> stream = (SecureDirectoryStream<Path>) Files.newDirectoryStream(path);
        try {
            BasicFileAttributes pinned =
                    stream.getFileAttributeView(BasicFileAttributeView.class).readAttributes();
            if (!FileKeys.isSame(pinned.fileKey(), expected)) {
                throw new NfsError(NFS4ERR_STALE);
            }
            return new PinnedDirectory(path, expected, stream);
        } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
        }
    }

    /** The directory's attributes when it was opened. */
    UnixAttributes attributes() {
        return attributes;
    }

    Path path(String name) {
        return path.resolve(name);
    }

    /**
     * An entry's attributes, proven to be those of an entry of this very directory.
     *
     * @throws NfsError {@code ACCESS} for the root of another file system, {@code STALE} where the directory moves
     *     about
     */
    UnixAttributes attributes(String name) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            UnixAttributes found;
            try {
                found = UnixAttributes.read(path(name));
            } catch (FileSystemException e) {
                // asked again from the descriptor: the path may have changed
                key(name);
                continue;
            }
            if (FileKeys.isSame(key(name), found)) {
                if (found.device() != attributes.device()) {
                    throw new NfsError(NFS4ERR_ACCESS);
                }
                return found;
            }
        }
        throw new NfsError(NFS4ERR_STALE);
    }

    private Object key(String name) throws IOException {
        return stream.getFileAttributeView(entry(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .fileKey();
    }

    /** Opens an entry, never through a symbolic link. */
    FileChannel open(String name, Set<? extends OpenOption> options, FileAttribute<?>... initial) throws IOException {
        Set<OpenOption> noFollow = new HashSet<>(options);
        noFollow.add(LinkOption.NOFOLLOW_LINKS);
        return (FileChannel) stream.newByteChannel(entry(name), noFollow, initial);
    }

    /** The entry's modes, owners and times, to be set on the entry itself. */
    PosixFileAttributeView view(String name) {
        return stream.getFileAttributeView(entry(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** The modes, owners and times of the directory itself. */
    PosixFileAttributeView view() {
        return stream.getFileAttributeView(PosixFileAttributeView.class);
    }

    void remove(String name, boolean directory) throws IOException {
        if (directory) {
            stream.deleteDirectory(entry(name));
        } else {
            stream.deleteFile(entry(name));
        }
    }

    /** As renameat(2): an existing target is replaced. */
    void rename(String name, PinnedDirectory target, String newName) throws IOException {
        stream.move(entry(name), target.stream, target.entry(newName));
    }

    /** The names in the directory, once. */
    Iterator<Path> names() {
        return stream.iterator();
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }

    /** A name alone: an absolute path would lead out of the directory. */
    private Path entry(String name) throws IllegalArgumentException {
        Path entry = path.getFileSystem().getPath(name);
        if (entry.isAbsolute() || entry.getNameCount() != 1) {
            throw new IllegalArgumentException("not a name: " + name);
        }
        return entry;
    }

    /** The attributes of an entry, or null where there is none. */
    UnixAttributes attributesIfThere(String name) throws IOException {
        try {
            return attributes(name);
        } catch (IOException e) {
            if (IoErrors.status(e) == NFS4ERR_NOENT) {
                return null;
            }
            throw e;
        }
    }
}
