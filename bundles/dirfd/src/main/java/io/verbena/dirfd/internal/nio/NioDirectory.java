package io.verbena.dirfd.internal.nio;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.FileSystemSpace;
import io.verbena.dirfd.internal.LocalPaths;
import io.verbena.dirfd.internal.Octets;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A directory's descriptor inside java.nio's {@code SecureDirectoryStream}, and the path of the directory when it was
 * opened. Operations that java.nio cannot do by the descriptor use the path, after a check that the path still leads to
 * this directory. Those that change something are refused where another user could replace a directory of the path.
 */
public final class NioDirectory implements Directory {
    private static final int ATTEMPTS = 3;

    /** The JDK's message, in every language, for a link that it was told not to follow. */
    private static final String OF_LINK = "unable to access attributes of symbolic link";

    private final Path path;
    private final SecureDirectoryStream<Path> stream;
    private final Object key;
    private final boolean hasCreationTimes;
    private volatile boolean closed;

    private NioDirectory(Path path, SecureDirectoryStream<Path> stream, Boolean hasCreationTimes) throws IOException {
        this.path = path;
        this.stream = stream;
        this.key = keyOf(stream.getFileAttributeView(BasicFileAttributeView.class));
        this.hasCreationTimes = hasCreationTimes != null ? hasCreationTimes : areCreationTimesKept();
    }

    /** Opens a directory by its path. */
    @SuppressWarnings("StreamResourceLeak") // what is returned closes it
    public static Directory open(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        if (Files.isSymbolicLink(absolute)) {
            throw new NotDirectoryException(path.toString());
        }
        Path real = absolute.toRealPath(); // without links, which could be replaced
        return of(real, Files.newDirectoryStream(real), null);
    }

    private static NioDirectory of(Path path, DirectoryStream<Path> stream, Boolean hasCreationTimes)
            throws IOException {
        try {
            if (stream instanceof SecureDirectoryStream<Path> secure) {
                return new NioDirectory(path, secure, hasCreationTimes);
            }
            throw new FileSystemException(
                    path.toString(), null, "this Java runtime cannot open files relative to a directory here");
        } catch (Throwable e) {
            stream.close();
            throw e;
        }
    }

    /**
     * Whether the file system keeps creation times. Without one, java.nio returns the modification time. If both times
     * are equal, this method sets another modification time for a moment to see the difference.
     */
    private boolean areCreationTimesKept() throws IOException {
        FileStatus status = NioStatus.read(path, true);
        FileTime modified = status.modified();
        if (!modified.equals(status.created())) {
            return true;
        }
        try {
            setTimes(null, FileTime.from(modified.toInstant().minusSeconds(1)));
            boolean kept = modified.equals(NioStatus.read(path, true).created());
            setTimes(null, modified);
            return kept;
        } catch (FileSystemException e) {
            return false; // another user owns the directory
        }
    }

    static Object keyOf(BasicFileAttributeView view) throws IOException {
        return view.readAttributes().fileKey();
    }

    /** The path of this directory, after a check that it leads here. */
    private Path provenPath() throws IOException {
        requireOpen();
        Object found = Files.readAttributes(
                        path, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
        if (!key.equals(found)) {
            throw new NoSuchFileException(path.toString(), null, "the directory has been moved");
        }
        return path;
    }

    Path provenPath(byte[] name) throws IOException {
        return provenPath().resolve(entry(name));
    }

    /**
     * As {@link #provenPath(byte[])}, for a change by the path.
     *
     * @throws ErrnoException {@code EOPNOTSUPP} where another user could lead the path elsewhere meanwhile
     */
    private Path changeablePath(byte[] name) throws IOException {
        UnswappablePath.require(path);
        return provenPath(name);
    }

    private static Path entry(byte[] name) {
        return LocalPaths.name(Octets.requireName(name));
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    Object keyOf(byte[] name) throws IOException {
        requireOpen();
        return keyOf(stream.getFileAttributeView(entry(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
    }

    PosixFileAttributeView view(byte[] name) {
        return stream.getFileAttributeView(entry(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    FileChannel openChannel(byte[] name, Set<? extends java.nio.file.OpenOption> options, FileAttribute<?>... initial)
            throws IOException {
        Set<java.nio.file.OpenOption> noFollow = new java.util.HashSet<>(options);
        noFollow.add(LinkOption.NOFOLLOW_LINKS);
        return (FileChannel) stream.newByteChannel(entry(name), noFollow, initial);
    }

    @Override
    public FileStatus status() throws IOException {
        return NioStatus.read(provenPath(), hasCreationTimes);
    }

    @Override
    public FileStatus status(byte[] name) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                FileStatus found = NioStatus.read(path.resolve(entry(name)), hasCreationTimes);
                if (NioStatus.isSame(keyOf(name), found)) {
                    return found;
                }
            } catch (FileSystemException e) {
                try {
                    keyOf(name); // asks the descriptor again: the path may have changed
                } catch (NoSuchFileException none) {
                    return null;
                }
            }
        }
        throw new NoSuchFileException(path.toString(), null, "the directory has been moved");
    }

    @Override
    public FileReference refer(byte[] name) throws IOException {
        return new NioFileReference(this, name, keyOf(name));
    }

    @Override
    @SuppressWarnings("StreamResourceLeak") // what is returned closes it
    public Directory openDirectory(byte[] name) throws IOException {
        BasicFileAttributeView found =
                stream.getFileAttributeView(entry(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.readAttributes().isDirectory()) {
            throw new NotDirectoryException(Octets.printable(name));
        }
        try {
            return of(
                    path.resolve(entry(name)),
                    stream.newDirectoryStream(entry(name), LinkOption.NOFOLLOW_LINKS),
                    hasCreationTimes);
        } catch (FileSystemException e) {
            if (String.valueOf(e.getReason()).contains(OF_LINK)) {
                throw (IOException) new NotDirectoryException(Octets.printable(name)).initCause(e);
            }
            throw e;
        }
    }

    @Override
    public FileReference createFile(byte[] name, int mode) throws IOException {
        openChannel(
                        name,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(NioStatus.permissions(mode)))
                .close();
        return refer(name);
    }

    @Override
    public void createDirectory(byte[] name, int mode) throws IOException {
        Files.createDirectory(changeablePath(name), PosixFilePermissions.asFileAttribute(NioStatus.permissions(mode)));
        requireMade(name);
    }

    @Override
    public void createSymbolicLink(byte[] name, byte[] text) throws IOException {
        Path target = NioStatus.linkText(Octets.requireText(text));
        if (!Arrays.equals(LocalPaths.linkText(target), text)) {
            // java.nio would store another target
            throw new ErrnoException(Octets.printable(name), Errno.EINVAL.number());
        }
        Files.createSymbolicLink(changeablePath(name), target);
        requireMade(name);
    }

    @Override
    public void createSpecial(byte[] name, int mode, long rdev) {
        byte[] unused = Octets.requireName(name);
        throw new UnsupportedOperationException("java.nio makes no special files");
    }

    @Override
    public void link(byte[] name, FileReference object) throws IOException {
        NioFileReference existing = (NioFileReference) object;
        Files.createLink(changeablePath(name), existing.changeablePath());
        if (!existing.isKey(requireMade(name))) {
            remove(name, false);
            throw new NoSuchFileException(Octets.printable(name), null, "the object has been moved");
        }
    }

    /** Requires that an object made by the path is in this directory. */
    private Object requireMade(byte[] name) throws IOException {
        return keyOf(name);
    }

    @Override
    public void remove(byte[] name, boolean directory) throws IOException {
        if (directory) {
            stream.deleteDirectory(entry(name));
        } else {
            stream.deleteFile(entry(name));
        }
    }

    @Override
    public void rename(byte[] name, Directory target, byte[] newName) throws IOException {
        stream.move(entry(name), ((NioDirectory) target).stream, entry(newName));
    }

    @Override
    public void forEachName(NameConsumer consumer) throws IOException {
        // a stream can be iterated once only: each pass opens its own
        try (DirectoryStream<Path> own = stream.newDirectoryStream(Path.of("."))) {
            for (Path each : own) {
                if (!consumer.accept(LocalPaths.lastName(each))) {
                    return;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    @Override
    public void sync() throws IOException {
        try (FileChannel channel = FileChannel.open(provenPath(), StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public boolean syncFileSystem() {
        return false;
    }

    @Override
    public FileSystemSpace space() throws IOException {
        FileStore store = Files.getFileStore(provenPath());
        return new FileSystemSpace(store.getTotalSpace(), store.getUnallocatedSpace(), store.getUsableSpace(), 0, 0, 0);
    }

    @Override
    public void setMode(int mode) throws IOException {
        NioStatus.setMode(
                stream.getFileAttributeView(PosixFileAttributeView.class),
                status().mode(),
                () -> {
                    UnswappablePath.require(path);
                    return provenPath();
                },
                mode);
    }

    @Override
    public void setOwner(Integer uid, Integer gid) throws IOException {
        NioStatus.setOwner(stream.getFileAttributeView(PosixFileAttributeView.class), path, uid, gid);
    }

    @Override
    public void setTimes(FileTime accessed, FileTime modified) throws IOException {
        stream.getFileAttributeView(BasicFileAttributeView.class)
                .setTimes(NioStatus.settable(modified), NioStatus.settable(accessed), null);
    }

    @Override
    public byte[] readLink() throws IOException {
        throw new NotLinkException(path.toString());
    }

    @Override
    public FileChannel open(boolean write) throws IOException {
        throw new FileSystemException(path.toString(), null, "Is a directory");
    }

    @Override
    public FileChannel open(Set<? extends java.nio.file.OpenOption> options) throws IOException {
        return open(false);
    }

    @Override
    public boolean isWritable() throws IOException {
        return Files.isWritable(provenPath());
    }

    @Override
    public void setPrincipals(UserPrincipal owner, GroupPrincipal group) throws IOException {
        PosixFileAttributeView view = stream.getFileAttributeView(PosixFileAttributeView.class);
        view.setOwner(owner);
        view.setGroup(group);
    }

    @Override
    public List<String> extendedAttributeNames() throws IOException {
        return NioStatus.userAttributes(provenPath());
    }

    @Override
    public Optional<FileReference> duplicate() {
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        stream.close();
    }
}
