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
 * has answered. None is made again on an object of another program, which may have the name by then. Each names the
 * directory that the kernel means, or null for the root of the mount: where the path leads through another directory by
 * now, nothing is changed. Thread safe.
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

    public void createDirectory(String path, FileKey directory, int mode) throws IOException {
        create(path, directory, on -> on.createDirectory(path, directory, mode), (on, there) -> there.isDirectory());
    }

    public void createSymbolicLink(String path, FileKey directory, String target) throws IOException {
        create(
                path,
                directory,
                on -> on.createSymbolicLink(path, directory, target),
                (on, there) -> there.isSymbolicLink() && on.readLink(path).equals(target));
    }

    public void createSpecial(String path, FileKey directory, FileType type, int mode, int major, int minor)
            throws IOException {
        create(
                path,
                directory,
                on -> on.createSpecial(path, directory, type, mode, major, minor),
                (on, there) -> there.type() == type);
    }

    /**
     * Creates a link.
     *
     * @param directory that holds the new name
     * @param existingDirectory that holds the existing name
     * @param isObject whether an object is the existing one
     */
    public void createLink(
            String path,
            FileKey directory,
            String existing,
            FileKey existingDirectory,
            Predicate<FileAttributes> isObject)
            throws IOException {
        create(
                path,
                directory,
                on -> on.createLink(path, directory, existing, existingDirectory),
                (on, there) -> isObject.test(there));
    }

    private void create(String path, FileKey directory, PresentMount.Change creation, Likeness likeness)
            throws IOException {
        mount.change(creation, on -> {
            Optional<FileAttributes> there = find(on, path, directory);
            if (there.isPresent() && !likeness.isAsMade(on, there.get())) {
                throw new FileAlreadyExistsException(path);
            }
            return there.isPresent();
        });
    }

    /**
     * Removes a name.
     *
     * @param directory that holds the name
     * @param isObject whether an object is the one to remove
     */
    public void remove(String path, FileKey directory, Predicate<FileAttributes> isObject) throws IOException {
        mount.change(
                on -> on.remove(path, directory),
                on -> find(on, path, directory).filter(isObject).isEmpty());
    }

    /**
     * Renames.
     *
     * @param directory that holds the old name
     * @param newDirectory that holds the new name
     * @param isObject whether an object is the one to rename
     */
    public void rename(
            String from, FileKey directory, String to, FileKey newDirectory, Predicate<FileAttributes> isObject)
            throws IOException {
        mount.change(on -> on.rename(from, directory, to, newDirectory), on -> {
            if (find(on, from, directory).filter(isObject).isPresent()) {
                return false;
            }
            if (find(on, to, newDirectory).filter(isObject).isPresent()) {
                return true;
            }
            throw new IOException(from + ": the mount was replaced before the server had answered, and whether it was"
                    + " renamed to " + to + " is not known");
        });
    }

    private static Optional<FileAttributes> find(Mount on, String path, FileKey directory) throws IOException {
        try {
            return Optional.of(on.attributes(path, directory));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
