package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.nio.internal.attribute.Modes;
import io.verbena.nfs.nio.internal.attribute.Views;
import io.verbena.nfs.nio.internal.directory.NfsDirectoryStream;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.path.LinkOptions;
import io.verbena.nfs.nio.internal.path.NameChanges;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A directory that is read, and in which names are used. Whatever its path leads to later, a call by a name concerns
 * this directory, or fails ({@code NFS4ERR_NOT_SAME}), also where the directory has moved. Which directory it is, is
 * found out at the first such call, for one that was opened by its path. Thread safe, except for the iteration.
 */
final class NfsSecureDirectory implements SecureDirectoryStream<Path> {
    private final NfsPath directory;
    private final NfsDirectoryStream entries;
    private volatile FileKey key;

    /** Opens the directory that the path leads to. */
    NfsSecureDirectory(NfsPath directory, Filter<? super Path> filter) throws IOException {
        this.directory = directory;
        this.entries = new NfsDirectoryStream(directory, filter);
    }

    /** Opens the directory that was seen. */
    private NfsSecureDirectory(NfsPath directory, FileKey seen) throws IOException {
        this.directory = directory;
        this.key = seen;
        this.entries = new NfsDirectoryStream(directory, seen, path -> true);
    }

    @Override
    public Iterator<Path> iterator() {
        return entries.iterator();
    }

    @Override
    public void close() {
        entries.close();
    }

    private FileKey key() throws IOException {
        FileKey known = key;
        if (known == null) {
            known = FileKey.of(directory.system().attributes(directory, true));
            key = known;
        }
        return known;
    }

    /**
     * Where a path leads. One that is not absolute starts at this directory. No link on the way is followed.
     * The directory above this one is found by the path of this directory.
     */
    private NfsPath at(Path given) throws IOException {
        NfsPath path = NfsPath.of(given);
        if (entries.isClosed()) {
            throw new ClosedDirectoryStreamException();
        }
        if (path.isAbsolute()) {
            return path;
        }
        if (path.isEmpty()) {
            throw new NoSuchFileException("");
        }
        Deque<NfsPath> way = new ArrayDeque<>(List.of(directory));
        for (Path each : path) {
            NfsPath here = way.element();
            NfsPath name = NfsPath.of(each);
            FileKey above = here.equals(directory) ? key() : FileKey.of(requireDirectory(here));
            if (name.isNamed()) {
                way.push(here.resolve(name).in(above));
            } else if (name.endsUp()) {
                NfsPath left = way.pop();
                if (way.isEmpty()) {
                    way.push((left.equals(directory) ? itself() : left).resolve(name));
                }
            }
        }
        return way.size() == 1 && way.element().equals(directory) ? itself() : way.element();
    }

    private static FileAttributes requireDirectory(NfsPath path) throws IOException {
        FileAttributes there = path.system().attributes(path, false);
        if (!there.isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
        return there;
    }

    @Override
    public SecureDirectoryStream<Path> newDirectoryStream(Path path, LinkOption... options) throws IOException {
        NfsPath at = at(path);
        if (LinkOptions.follows(options) && at.system().isLink(at)) {
            return new NfsSecureDirectory(at.toAbsolutePath(), entry -> true);
        }
        return new NfsSecureDirectory(at, FileKey.of(requireDirectory(at)));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        NfsPath at = at(path);
        return NfsFileSystem.of(at).open(at, OpenOptions.of(options), Modes.of(Modes.FILE, attributes), true);
    }

    @Override
    public void deleteFile(Path path) throws IOException {
        NfsPath at = at(path);
        at.system().requireRemovable(NfsPath.of(path), at);
        if (at.system().attributes(at, false).isDirectory()) {
            throw new FileSystemException(at.toString(), null, "it is a directory");
        }
        at.system().delete(at);
    }

    @Override
    public void deleteDirectory(Path path) throws IOException {
        NfsPath at = at(path);
        at.system().requireRemovable(NfsPath.of(path), at);
        FileAttributes unused = requireDirectory(at);
        at.system().delete(at);
    }

    @Override
    public void move(Path source, SecureDirectoryStream<Path> targetDirectory, Path target) throws IOException {
        if (!(Objects.requireNonNull(targetDirectory) instanceof NfsSecureDirectory other)) {
            throw new ProviderMismatchException();
        }
        NfsPath from = at(source);
        NfsPath to = other.at(target);
        from.system().requireRemovable(NfsPath.of(source), from);
        to.system().requireRemovable(NfsPath.of(target), to);
        if (from.system() != to.system()) {
            throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "they are on different mounts");
        }
        NameChanges.rename(from, from.system().attributes(from, false), to);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Class<V> type) {
        return Views.of(this::itself, type, true);
    }

    private NfsPath itself() throws IOException {
        if (!FileKey.of(directory.system().attributes(directory, true)).equals(key())) {
            throw new NfsException(directory.toString(), "NFS4ERR_NOT_SAME", "another directory is there by now");
        }
        return directory;
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        Path given = NfsPath.of(path);
        return Views.of(() -> at(given), type, LinkOptions.follows(options));
    }
}
