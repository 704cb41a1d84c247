package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount.Finding;
import java.io.IOException;
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
     * @throws UndecidedException if the server has lost the session before it had answered, and a directory is there
     */
    public static void createDirectory(NfsPath directory, int mode) throws IOException {
        String at = directory.mountPath();
        directory.system().mount().create(directory, mount -> mount.createDirectory(at, mode), mount -> find(mount, at)
                .filter(FileAttributes::isDirectory)
                .isPresent());
    }

    /**
     * Creates a symbolic link.
     *
     * @param held its text
     * @throws UndecidedException if the server has lost the session before it had answered, and a link is there
     */
    public static void createSymbolicLink(NfsPath link, String held) throws IOException {
        String at = link.mountPath();
        link.system()
                .mount()
                .create(
                        link,
                        mount -> mount.createSymbolicLink(at, held),
                        mount -> find(mount, at)
                                        .filter(FileAttributes::isSymbolicLink)
                                        .isPresent()
                                && mount.readLink(at).equals(held));
    }

    /** Creates a hard link. */
    public static void createLink(NfsPath link, NfsPath existing) throws IOException {
        String at = link.mountPath();
        String from = existing.mountPath();
        link.system().mount().change(link, null, mount -> mount.createLink(at, from), mount -> {
            Optional<FileAttributes> made = find(mount, at);
            boolean isDone = made.isPresent()
                    && find(mount, from).filter(one -> isSame(one, made.get())).isPresent();
            return isDone ? Finding.DONE : Finding.NOT_DONE;
        });
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
        source.system().mount().change(source, target, mount -> mount.rename(at, to), mount -> {
            Optional<FileAttributes> there = find(mount, at);
            if (there.filter(one -> isSame(one, from)).isPresent()) {
                return Finding.NOT_DONE;
            }
            if (find(mount, to).filter(one -> isSame(one, from)).isPresent()) {
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
        tree.mount().change(path, null, mount -> mount.remove(at), mount -> {
            Optional<FileAttributes> there = find(mount, at);
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
        try {
            return Optional.of(mount.attributes(path, false));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
