package io.verbena.cli.internal.transfer;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Files that a copy comes from or goes to, local or remote. Failures come as they are: {@link Location}
 * tells them as the user names the file. Where a mount is replaced the files of the next one are taken, by their paths;
 * only open files fail then. May be called from several threads at once.
 */
interface FileTree {
    /** The path as a user writes it. */
    String describe(String path);

    /** What tells a file from all others that a user may copy from: where it is and its path. */
    String identity(String path);

    /** The path of a name in a directory. */
    String child(String directory, String name);

    /** The path of another name beside a file. */
    String sibling(String path, String name);

    /** The last name of a path; empty for a root. */
    String name(String path);

    /** What is there; empty where nothing is. */
    Optional<Node> find(String path, boolean followLink) throws IOException;

    /**
     * What is in a directory.
     *
     * @param unlisted told of entries that cannot be taken; they do not keep the others from it
     */
    List<Node> list(String directory, Unlisted.Consumer unlisted) throws IOException;

    /** Whether this user may write to an existing file. */
    boolean mayWrite(String path) throws IOException;

    /** Where a symbolic link leads, for as long as it is one and leads somewhere; other paths as they are. */
    String resolve(String path) throws IOException;

    void createDirectory(String path) throws IOException;

    String readLink(String path) throws IOException;

    void createSymbolicLink(String path, String target) throws IOException;

    /** Sets the time of modification of a symbolic link itself. */
    void setLinkTime(String path, Instant modified) throws IOException;

    /** Gives an existing file a further name. */
    void createLink(String path, String existing) throws IOException;

    /** Whether a file has extended attributes of its own, access control lists among them, which a copy does not keep. */
    boolean hasExtendedAttributes(String path) throws IOException;

    /** Which file it is, where another can have its name when it is opened again; empty too where nothing is there. */
    Optional<FileVersion> version(String path) throws IOException;

    /** Sets them, and returns of which file as {@link #version} does. */
    Optional<FileVersion> setAttributes(String path, int mode, Instant modified) throws IOException;

    /** What is kept only where that is asked for. */
    Extras extras(String path) throws IOException;

    /** As {@link #setAttributes}, of all of it; owner and group only where that is permitted, else without the bits that lend their rights. */
    Optional<FileVersion> setExtras(String path, Extras extras) throws IOException;

    /**
     * Renames within a directory; a file at the new name is replaced. Nobody else knows the old name.
     *
     * @param which the file that it is, where that is known
     */
    void rename(String from, String to, Optional<FileVersion> which) throws IOException;

    void remove(String path) throws IOException;

    /** A temporary file could not be removed: {@link #removeLeftovers} does, if it is still the same. */
    void leaveBehind(String path, FileVersion which, String target);

    /** Removes what earlier copies to that path have left behind, as far as that can be done. */
    void removeLeftovers(String target);

    BlockSource read(String path) throws IOException;

    /**
     * Opens a file for writing.
     *
     * @param isNew whether it is made; it must not be there then, and must be there otherwise
     */
    BlockSink write(String path, boolean isNew) throws IOException;

    /** Whether an operation is likely to be answered soon. */
    boolean isReachable();

    /** Whether open files may go away, to be opened again. */
    boolean isRemote();

    /** The mounts that have taken the place of the one that it began with, one after the other. */
    List<Mount> successors();
}
