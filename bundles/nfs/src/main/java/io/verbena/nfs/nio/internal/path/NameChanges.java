package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount.Finding;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * The changes of names, each with the look that tells whether it is done. No other class calls these methods of a
 * mount, so that no change is made again without a look, nor as a part of a call with other steps.
 *
 * <p>A name may be of another process by the time of the look. A change that may have been made is not made again on an
 * object of another process: programs use names as locks.
 */
public final class NameChanges {
    private NameChanges() {}

    /**
     * Creates a directory.
     *
     * @throws UndecidedException if the server has lost the session before it had answered, and the name is taken
     */
    public static void createDirectory(NfsPath directory, int mode) throws IOException {
        String at = directory.mountPath();
        ReplaceableMount.Call<Finding> look = newName(directory, (mount, made) -> made.isDirectory());
        directory.system().mount().create(directory, mount -> mount.createDirectory(at, mode), look);
    }

    /**
     * Creates a symbolic link.
     *
     * @param held its text
     * @throws UndecidedException if the server has lost the session before it had answered, and the name is taken
     */
    public static void createSymbolicLink(NfsPath link, String held) throws IOException {
        String at = link.mountPath();
        ReplaceableMount.Call<Finding> look = newName(
                link,
                (mount, made) -> made.isSymbolicLink() && mount.readLink(at).equals(held));
        link.system().mount().create(link, mount -> mount.createSymbolicLink(at, held), look);
    }

    /** Creates a hard link. */
    public static void createLink(NfsPath link, NfsPath existing) throws IOException {
        String at = link.mountPath();
        String from = existing.mountPath();
        ReplaceableMount.Call<Finding> look = newName(link, (mount, made) -> find(mount, from)
                .filter(one -> isSame(one, made))
                .isPresent());
        link.system().mount().change(link, null, mount -> mount.createLink(at, from), look);
    }

    /** Whether an object is as a creation makes it. */
    private interface Likeness {
        boolean isAsMade(Mount mount, FileAttributes there) throws IOException;
    }

    /**
     * The look at a name that a creation takes. An object that had the name before is none that was created; whether
     * another one was is not known, also where the former has changed, since a server gives its number to a new one.
     */
    private static ReplaceableMount.Call<Finding> newName(NfsPath path, Likeness likeness) throws IOException {
        String at = path.mountPath();
        ReplaceableMount mounts = path.system().mount();
        Optional<FileAttributes> before =
                mounts.isReplaceable() ? mounts.call(path, mount -> find(mount, at)) : Optional.empty();
        return mount -> {
            Optional<FileAttributes> there = find(mount, at);
            if (there.isEmpty()) {
                return Finding.NOT_DONE;
            }
            if (before.filter(one -> isUntouched(one, there.get())).isPresent()) {
                throw new FileAlreadyExistsException(at);
            }
            boolean isDone = before.isEmpty() && likeness.isAsMade(mount, there.get());
            return isDone ? Finding.DONE : Finding.ANOTHER_OBJECT;
        };
    }

    /**
     * Renames.
     *
     * @param from the attributes of the source
     * @throws UndecidedException if it is not known whether the source was renamed, and another object has its name
     */
    public static void rename(NfsPath source, FileAttributes from, NfsPath target) throws IOException {
        String at = source.mountPath();
        String to = target.mountPath();
        FileKey above = source.directory();
        FileKey newAbove = target.directory();
        ReplaceableMount.Change rename = above == null && newAbove == null
                ? mount -> mount.rename(at, to)
                : mount -> mount.rename(at, above, to, newAbove);
        source.system().mount().change(source, target, rename, mount -> {
            Optional<FileAttributes> there = find(mount, at, above);
            if (there.filter(one -> isSame(one, from)).isPresent()) {
                return Finding.NOT_DONE;
            }
            if (find(mount, to, newAbove).filter(one -> isSame(one, from)).isPresent()) {
                return Finding.DONE;
            }
            return there.isPresent() ? Finding.ANOTHER_OBJECT : Finding.NOT_DONE;
        });
    }

    /**
     * Removes a file, a link or an empty directory.
     *
     * @throws UndecidedException if it is not known whether the object was removed, and another one has its name, or
     *     the same one has changed
     */
    static void remove(NfsPath path) throws IOException {
        String at = path.mountPath();
        MountTree tree = path.system();
        Optional<FileAttributes> which =
                tree.mount().isReplaceable() ? Optional.of(tree.attributes(path, false)) : Optional.empty();
        FileKey above = path.directory();
        ReplaceableMount.Change removal = above == null ? mount -> mount.remove(at) : mount -> mount.remove(at, above);
        tree.mount().change(path, null, removal, mount -> {
            Optional<FileAttributes> there = find(mount, at, above);
            if (there.isEmpty()) {
                return Finding.DONE;
            }
            boolean isUntouched =
                    which.filter(one -> isUntouched(one, there.get())).isPresent();
            return isUntouched ? Finding.NOT_DONE : Finding.ANOTHER_OBJECT;
        });
    }

    private static boolean isSame(FileAttributes one, FileAttributes other) {
        return FileKey.of(one).equals(FileKey.of(other));
    }

    /** A server may give the number of a removed file to a new one, which has other times then. */
    private static boolean isUntouched(FileAttributes before, FileAttributes now) {
        return isSame(before, now)
                && (before.change() == now.change() || before.changed().equals(now.changed()));
    }

    private static Optional<FileAttributes> find(Mount mount, String path) throws IOException {
        return find(mount, path, null);
    }

    private static Optional<FileAttributes> find(Mount mount, String path, FileKey directory) throws IOException {
        try {
            return Optional.of(directory == null ? mount.attributes(path, false) : mount.attributes(path, directory));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
