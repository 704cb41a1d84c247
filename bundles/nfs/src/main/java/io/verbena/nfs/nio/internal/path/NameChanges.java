package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * The changes of names, each with the look that tells whether it is done. No other class calls these methods of a
 * mount, so that no change is made again without a look, nor as a part of a call with other steps.
 */
public final class NameChanges {
    private NameChanges() {}

    /** Creates a directory. */
    public static void createDirectory(NfsPath directory, int mode) throws IOException {
        String at = directory.mountPath();
        directory
                .system()
                .mount()
                .change(
                        directory,
                        null,
                        mount -> mount.createDirectory(at, mode),
                        mount ->
                                exists(mount, at) && mount.attributes(at, false).isDirectory());
    }

    /**
     * Creates a symbolic link.
     *
     * @param held its text
     */
    public static void createSymbolicLink(NfsPath link, String held) throws IOException {
        String at = link.mountPath();
        link.system()
                .mount()
                .change(
                        link,
                        null,
                        mount -> mount.createSymbolicLink(at, held),
                        mount -> exists(mount, at)
                                && mount.attributes(at, false).isSymbolicLink()
                                && mount.readLink(at).equals(held));
    }

    /** Creates a hard link. */
    public static void createLink(NfsPath link, NfsPath existing) throws IOException {
        String at = link.mountPath();
        String from = existing.mountPath();
        link.system()
                .mount()
                .change(
                        link,
                        null,
                        mount -> mount.createLink(at, from),
                        mount -> exists(mount, at)
                                && exists(mount, from)
                                && isSame(mount.attributes(at, false), mount.attributes(from, false)));
    }

    /** @param from the attributes of the source */
    public static void rename(NfsPath source, FileAttributes from, NfsPath target) throws IOException {
        String at = source.mountPath();
        String to = target.mountPath();
        source.system()
                .mount()
                .change(
                        source,
                        target,
                        mount -> mount.rename(at, to),
                        mount -> !exists(mount, at) && exists(mount, to) && isSame(from, mount.attributes(to, false)));
    }

    /** Removes a file, a link or an empty directory. */
    static void remove(NfsPath path) throws IOException {
        String at = path.mountPath();
        path.system().mount().change(path, null, mount -> mount.remove(at), mount -> !exists(mount, at));
    }

    private static boolean isSame(FileAttributes one, FileAttributes other) {
        return FileKey.of(one).equals(FileKey.of(other));
    }

    private static boolean exists(Mount mount, String path) throws IOException {
        try {
            return mount.attributes(path, false) != null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
