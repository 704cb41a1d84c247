package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UndecidedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The names of a mount. Paths are qualified and absolute; symbolic links are followed by the client. Failures are those
 * of Hadoop. Thread safe.
 */
public final class RemoteTree {
    private static final int SET_ID_BITS = 0_6000;
    private static final int PERMISSIONS = 0_1777;
    /** The owner's permissions to write and to search. */
    private static final int MAY_CREATE = 0_300;

    private final Mount mount;
    private final Statuses statuses;

    public RemoteTree(Mount mount, Statuses statuses) {
        this.mount = mount;
        this.statuses = statuses;
    }

    /** The path on the server. */
    public static String name(Path path) {
        return path.toUri().getPath();
    }

    /** The attributes of an object. */
    public FileAttributes attributes(Path path) throws IOException {
        try {
            return mount.attributes(name(path), true);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    /** The attributes of an object, or of a symbolic link itself; empty if there is none. */
    Optional<FileAttributes> ownAttributes(Path path) throws IOException {
        try {
            return Optional.of(mount.attributes(name(path), false));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    public FileStatus status(Path path) throws IOException {
        return statuses.of(path, attributes(path));
    }

    /** Lists a directory page by page, or a file as its only entry. */
    public RemoteIterator<FileStatus> list(Path path) throws IOException {
        try {
            return new Listing(mount, statuses, path);
        } catch (NotDirectoryException e) {
            return RemoteIterators.remoteIteratorFromSingleton(status(path));
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    /**
     * Creates a directory and those above it that do not exist, in which their owner may create, whatever the mode is.
     *
     * @throws FileAlreadyExistsException if the path is a file
     * @throws ParentNotDirectoryException if a file lies above it
     */
    public void createDirectories(Path path, int mode) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path at = path;
        while (!exists(at, path)) {
            missing.push(at);
            at = at.getParent();
        }
        while (!missing.isEmpty()) {
            Path directory = missing.pop();
            createDirectory(directory, missing.isEmpty() ? mode : mode | MAY_CREATE, path);
        }
    }

    /** Creates one directory in an existing one; an existing directory is left as it is. */
    public void createDirectory(Path path, int mode) throws IOException {
        createDirectory(path, mode, path);
    }

    private void createDirectory(Path at, int mode, Path wanted) throws IOException {
        try {
            mount.createDirectory(name(at), mode);
        } catch (java.nio.file.FileAlreadyExistsException | UndecidedException e) {
            requireDirectory(at, wanted); // of somebody else who was faster, or of this very call
        } catch (IOException e) {
            throw Failures.ofNew(at, e);
        }
    }

    private boolean exists(Path at, Path wanted) throws IOException {
        try {
            requireDirectory(at, wanted);
            return true;
        } catch (FileNotFoundException e) {
            if (at.isRoot()) {
                throw e;
            }
            return false;
        }
    }

    private void requireDirectory(Path at, Path wanted) throws IOException {
        FileAttributes attributes = attributes(at);
        if (!attributes.isDirectory()) {
            throw at.equals(wanted)
                    ? new FileAlreadyExistsException(at + " exists, and is no directory")
                    : new ParentNotDirectoryException(at + " is no directory, so that there cannot be " + wanted);
        }
    }

    /** Sets permissions; the set-id bits of a directory, which Hadoop does not know, stay as they are. */
    public void setPermissions(Path path, int permissions) throws IOException {
        FileAttributes attributes = attributes(path);
        int kept = attributes.isDirectory() ? attributes.mode() & SET_ID_BITS : 0;
        set(path, AttributeChanges.NONE.withMode(kept | (permissions & PERMISSIONS)));
    }

    /** Changes attributes. */
    public void set(Path path, AttributeChanges changes) throws IOException {
        try {
            FileAttributes unused = mount.setAttributes(name(path), changes);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    /** Cuts a file to a size that it has at least. */
    public void truncate(Path path, long size) throws IOException {
        FileAttributes attributes = attributes(path);
        if (!attributes.isRegularFile()) {
            throw new FileNotFoundException(path + " is no file");
        }
        if (size < 0 || size > attributes.size()) {
            throw new PathIOException(
                    path.toString(), "cannot be truncated to " + size + " octets: it has " + attributes.size());
        }
        set(path, AttributeChanges.NONE.withSize(size));
    }

    /**
     * Checks by the server whether this user has access.
     *
     * @throws AccessControlException if not
     */
    public void requireAccess(Path path, FsAction action) throws IOException {
        boolean may;
        try {
            may = mount.mayAccess(
                    name(path),
                    action.implies(FsAction.READ),
                    action.implies(FsAction.WRITE),
                    action.implies(FsAction.EXECUTE));
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
        if (!may) {
            throw new AccessControlException("The server does not allow " + action + " of " + path);
        }
    }

    public FsStatus space(Path path) throws IOException {
        try {
            FileSystemStatus space = mount.fileSystemStatus(name(path));
            return new FsStatus(space.totalBytes(), space.totalBytes() - space.freeBytes(), space.availableBytes());
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    /** The highest directory above a path, or above its first ancestor that exists, in the same file system. */
    public Path enclosingRoot(Path path) throws IOException {
        Path at = path;
        FileAttributes attributes = existing(at);
        while (attributes == null && !at.isRoot()) {
            at = at.getParent();
            attributes = existing(at);
        }
        while (!at.isRoot()) {
            FileAttributes above = attributes(at.getParent());
            if (attributes != null
                    && (above.fileSystemMajor() != attributes.fileSystemMajor()
                            || above.fileSystemMinor() != attributes.fileSystemMinor())) {
                return at;
            }
            at = at.getParent();
        }
        return at;
    }

    private FileAttributes existing(Path path) throws IOException {
        try {
            return mount.attributes(name(path), true);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return null;
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    /** Removes an object; see {@link Removal}. */
    public boolean remove(Path path, boolean recursive) throws IOException {
        return new Removal(mount).remove(path, recursive);
    }

    /** Renames as {@code FileSystem.rename} specifies; see {@link Renaming}. */
    public boolean rename(Path from, Path to) throws IOException {
        return new Renaming(mount, this).rename(from, to);
    }

    /** Renames as {@code FileContext.rename} specifies; see {@link Renaming}. */
    public void rename(Path from, Path to, boolean overwrite) throws IOException {
        new Renaming(mount, this).rename(from, to, overwrite);
    }
}
