package io.verbena.fuse.internal.mount;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The changes of names, each with the look that tells whether it is done where the mount is replaced before the server
 * has answered. None is made again on an object of another program, which may have the name by then. Thread safe.
 */
public final class NameChanges {
    private final PresentMount mount;

    public NameChanges(PresentMount mount) {
        this.mount = mount;
    }

    /** Whether an object is as a creation makes it. */
    private interface Likeness {
        boolean isAsMade(Mount mount, FileAttributes there) throws IOException;
    }

    public void createDirectory(String path, int mode) throws IOException {
        create(path, on -> on.createDirectory(path, mode), (on, there) -> there.isDirectory());
    }

    public void createSymbolicLink(String path, String target) throws IOException {
        create(
                path,
                on -> on.createSymbolicLink(path, target),
                (on, there) -> there.isSymbolicLink() && on.readLink(path).equals(target));
    }

    public void createSpecial(String path, FileType type, int mode, int major, int minor) throws IOException {
        create(path, on -> on.createSpecial(path, type, mode, major, minor), (on, there) -> there.type() == type);
    }

    /** @param isObject whether an object is the existing one */
    public void createLink(String path, String existing, Predicate<FileAttributes> isObject) throws IOException {
        create(path, on -> on.createLink(path, existing), (on, there) -> isObject.test(there));
    }

    private void create(String path, PresentMount.Change creation, Likeness likeness) throws IOException {
        mount.change(creation, on -> {
            Optional<FileAttributes> there = find(on, path, null);
            if (there.isPresent() && !likeness.isAsMade(on, there.get())) {
                throw new FileAlreadyExistsException(path);
            }
            return there.isPresent();
        });
    }

    /**
     * Removes a name. Where the path leads through another directory by now, nothing is removed.
     *
     * @param directory that holds the name; null for the root of the mount
     * @param isObject whether an object is the one to remove
     */
    public void remove(String path, FileKey directory, Predicate<FileAttributes> isObject) throws IOException {
        mount.change(
                on -> remove(on, path, directory),
                on -> find(on, path, directory).filter(isObject).isEmpty());
    }

    private static void remove(Mount on, String path, FileKey directory) throws IOException {
        if (directory == null) {
            on.remove(path);
        } else {
            on.remove(path, directory);
        }
    }

    /**
     * Renames. Where the old path leads through another directory by now, nothing is renamed.
     *
     * @param directory that holds the old name; null for the root of the mount
     * @param isObject whether an object is the one to rename
     */
    public void rename(String from, FileKey directory, String to, Predicate<FileAttributes> isObject)
            throws IOException {
        mount.change(on -> rename(on, from, directory, to), on -> {
            if (find(on, from, directory).filter(isObject).isPresent()) {
                return false;
            }
            if (find(on, to, null).filter(isObject).isPresent()) {
                return true;
            }
            throw new IOException(from + ": the mount was replaced before the server had answered, and whether it was"
                    + " renamed to " + to + " is not known");
        });
    }

    private static void rename(Mount on, String from, FileKey directory, String to) throws IOException {
        if (directory == null) {
            on.rename(from, to);
        } else {
            on.rename(from, directory, to);
        }
    }

    /** @param directory that holds the name; null for whichever the path leads to */
    private static Optional<FileAttributes> find(Mount on, String path, FileKey directory) throws IOException {
        try {
            return Optional.of(directory == null ? on.attributes(path, false) : on.attributes(path, directory));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
