package io.verbena.nfs.transfer;

import io.verbena.nfs.Mount;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The location of a file or directory: a path of this host, or a path on a mount. A path is a sequence of octets, which
 * a {@code String} holds in the encoding of {@link OctetText}. Immutable.
 */
public final class Location {
    private static final MountSuccessors NO_SUCCESSORS = gone -> {
        throw new IOException("mount '" + OctetText.printable(gone.name()) + "' was replaced: run it again");
    };

    private final Optional<Mount> mount;
    private final MountSuccessors successors;
    private final String path;
    private final String shown;
    private final boolean isDirectory;
    private final boolean isContents;

    private Location(
            Optional<Mount> mount,
            MountSuccessors successors,
            String path,
            String shown,
            boolean isDirectory,
            boolean isContents) {
        this.mount = mount;
        this.successors = successors;
        this.path = path;
        this.shown = shown;
        this.isDirectory = isDirectory;
        this.isContents = isContents;
    }

    /**
     * Returns the location of a path of this host. {@link #isContents} is true for a root and for a path that ends with
     * {@code .} or {@code ..}.
     *
     * @throws IllegalArgumentException if the path does not belong to the JDK's default file system
     */
    public static Location of(Path path) {
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException(
                    path + " is no path of this host; what is on a mount is told by the mount");
        }
        String name = LocalNames.name(path);
        return new Location(
                Optional.empty(),
                NO_SUCCESSORS,
                LocalNames.text(path.toAbsolutePath()),
                OctetText.escape(LocalNames.text(path)),
                false,
                name.isEmpty() || isDots(name));
    }

    /**
     * Returns the location of a path on a mount. {@link #isContents} is true for the root and for a path that ends with
     * {@code .} or {@code ..}.
     *
     * @param path the path relative to the export; a slash at its end is ignored, and several slashes in a row count as
     *     one
     */
    public static Location of(Mount mount, String path) {
        String single = ("/" + path).replaceAll("/+", "/");
        String normal = single.length() > 1 && single.endsWith("/") ? single.substring(0, single.length() - 1) : single;
        String name = normal.substring(normal.lastIndexOf('/') + 1);
        return new Location(
                Optional.of(mount),
                NO_SUCCESSORS,
                normal,
                OctetText.printable(mount.name()) + ":" + OctetText.escape(normal),
                false,
                name.isEmpty() || isDots(name));
    }

    private static boolean isDots(String name) {
        return name.equals(".") || name.equals("..");
    }

    /** Returns this location with another name, which failures show. */
    public Location named(String name) {
        return new Location(mount, successors, path, name, isDirectory, isContents);
    }

    /** Returns this location as one that must be a directory if it is the target of a copy. */
    public Location asDirectory() {
        return new Location(mount, successors, path, shown, true, isContents);
    }

    /**
     * Returns this location with {@link #isContents} set: a copy copies the entries of the directory, and not the
     * directory itself.
     */
    public Location contents() {
        return new Location(mount, successors, path, shown, isDirectory, true);
    }

    /**
     * Returns this location with a source of successors. If the location's mount is replaced, a copy looks for the path
     * on the mount that the successors return.
     */
    public Location withSuccessors(MountSuccessors newSuccessors) {
        return new Location(mount, newSuccessors, path, shown, isDirectory, isContents);
    }

    /** Returns the mount; empty for a path of this host. */
    public Optional<Mount> mount() {
        return mount;
    }

    /** Returns whether the location is on a mount. */
    public boolean isRemote() {
        return mount.isPresent();
    }

    /** Returns the source of the mounts that replace this location's mount. */
    public MountSuccessors successors() {
        return successors;
    }

    /** Returns the path on the mount, or the absolute path on this host, octet by octet. */
    public String path() {
        return path;
    }

    /** Returns whether the location must be a directory. */
    public boolean isDirectory() {
        return isDirectory;
    }

    /** Returns whether the location means the entries of the directory, and not the directory itself. */
    public boolean isContents() {
        return isContents;
    }

    /** Returns the name that failures show. */
    @Override
    public String toString() {
        return shown;
    }
}
