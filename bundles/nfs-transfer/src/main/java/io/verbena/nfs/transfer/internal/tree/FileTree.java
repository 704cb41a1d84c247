package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The local or remote files that a copy reads or writes. The failures of this interface do not name files. {@link
 * TreePath} adds the names that the caller uses. When a mount is replaced, operations use the same paths on the next
 * mount, and open files fail. May be called from several threads at the same time.
 */
public interface FileTree {
    /** Adds another path that the user named in the same tree. */
    void addTop(String path);

    /** Returns the path as a user writes it. */
    String describe(String path);

    /** Returns the location and path of a file, which identify the file among all files that a user can copy. */
    String identity(String path);

    /** Returns the path of an entry of a directory. */
    String child(String directory, String name);

    /** Returns the path of another name in the directory of a file. */
    String sibling(String path, String name);

    /** Returns the path of the directory that contains a file. */
    String parent(String path);

    /** Returns the last name of a path; empty for a root. */
    String name(String path);

    /**
     * Returns the object at a path; empty if there is none.
     *
     * @param followLink whether to return the target of a symbolic link instead of the link
     */
    Optional<FileEntry> find(String path, boolean followLink) throws IOException;

    /**
     * Returns the entries of a directory.
     *
     * @param unlisted receives the entries that cannot be read; the other entries are still returned
     */
    List<FileEntry> list(String directory, UnreadableEntry.Consumer unlisted) throws IOException;

    /**
     * As {@link #list(String, UnreadableEntry.Consumer)}, of the directory that was found there, and of no other one: a
     * symbolic link that somebody has put in its place is not followed. A tree that opens each directory in the one
     * above it follows none in any case.
     */
    default List<FileEntry> list(String directory, FileEntry seen, UnreadableEntry.Consumer unlisted)
            throws IOException {
        return list(directory, unlisted);
    }

    /**
     * Returns the times of the last change of any kind of the temporary objects in a directory, by name: see {@link
     * HiddenNames#isPassing}. The clock is the one of the server or host that stores the objects.
     *
     * @param most the largest number of entries to examine
     */
    Map<String, Instant> temporaries(String directory, int most) throws IOException;

    /** Returns the time of the last change of any kind of an object, by the same clock as {@link #temporaries}. */
    Instant changed(String path) throws IOException;

    /** Returns whether this user may write to an existing file. */
    boolean mayWrite(String path) throws IOException;

    /**
     * Returns the end of a chain of symbolic links, as far as the links lead to an object. Returns other paths
     * unchanged.
     */
    String resolve(String path) throws IOException;

    void createDirectory(String path) throws IOException;

    String readLink(String path) throws IOException;

    void createSymbolicLink(String path, String target) throws IOException;

    /** Sets the time of modification of a symbolic link itself. */
    void setLinkTime(String path, Instant modified) throws IOException;

    /** Creates a further name of an existing file. */
    void createLink(String path, String existing) throws IOException;

    /** @param directory the directory of the existing name, as in {@link #remove(String, FileEntry, Optional)} */
    default void createLink(String path, String existing, Optional<FileEntry> directory) throws IOException {
        createLink(path, existing);
    }

    /**
     * Returns whether a file has extended attributes of its own, including access control lists. A copy does not keep
     * them.
     */
    boolean hasExtendedAttributes(String path) throws IOException;

    /**
     * Returns the version of a file if another file can have its name when it is opened again. Empty if that is
     * impossible or there is no file.
     */
    Optional<FileVersion> version(String path) throws IOException;

    /**
     * Sets the attributes of a file or directory, and returns its version as {@link #version} does.
     *
     * @param type the type of the object, which must not have become another on this host
     */
    Optional<FileVersion> setAttributes(String path, FileType type, int mode, Instant modified) throws IOException;

    /** Returns the attributes that a copy keeps only on request. */
    PreservedAttributes extras(String path) throws IOException;

    /**
     * Sets these attributes as {@link #setAttributes} does. Owner and group are set only if permitted. If they are not
     * set, the mode is set without set-user-ID and set-group-ID, which would grant the rights of another user or group.
     */
    Optional<FileVersion> setExtras(String path, FileType type, PreservedAttributes extras) throws IOException;

    /**
     * Renames a file within its directory, and replaces a file with the new name. Only the caller knows the old name.
     *
     * @param which the version of the file, if known
     */
    void rename(String from, String to, Optional<FileVersion> which) throws IOException;

    /**
     * Renames an object whose name is not of the caller.
     *
     * @param which the version of the object, if known
     * @param directory the directory of the old name, as in {@link #remove(String, FileEntry, Optional)}
     */
    default void rename(String from, String to, Optional<FileVersion> which, Optional<FileEntry> directory)
            throws IOException {
        rename(from, to, which);
    }

    void remove(String path) throws IOException;

    /**
     * Removes an object whose name is not of the caller. Where the answer of a server is lost, and the name is of
     * another object then, that object stays, and the removal fails.
     *
     * @param which the object as it was found
     * @param directory the directory of the object as it was found, which the path has to lead through: see {@link
     *     #list(String, FileEntry, UnreadableEntry.Consumer)}; empty where the path is that of the user
     */
    default void remove(String path, FileEntry which, Optional<FileEntry> directory) throws IOException {
        remove(path);
    }

    /**
     * Records a temporary file that could not be removed. {@link #removeLeftovers} removes it if it is still the same
     * file.
     *
     * @param which the version of the file; empty if the server may have created the file, or may create it later
     */
    void leaveBehind(String path, Optional<FileVersion> which, String target);

    /** Removes the files that earlier copies to a target left behind, as far as possible. */
    void removeLeftovers(String target);

    /**
     * Takes up a temporary file of an earlier copy under a name that only this user knows.
     *
     * @return the file; empty if there is none
     * @throws IOException if the object cannot be such a file
     */
    Optional<FileEntry> adopt(String path) throws IOException;

    /** Gives up a temporary file that a later copy continues. */
    void release(String path);

    BlockSource read(String path) throws IOException;

    /**
     * Opens a small file for reading, as {@link #read} does. A file of a server is read as a whole at once if possible.
     *
     * @param size the expected size in octets
     */
    default BlockSource readWhole(String path, int size) throws IOException {
        return read(path);
    }

    /**
     * Returns a sink that creates a small file of a server with its content and attributes when the sink is closed
     * after {@link BlockSink#finish}. The file must not exist, and only the caller knows its name.
     *
     * @param made receives the version of the file when it is complete; or nothing, when no answer of the
     *     server has come and the server may create the file later
     */
    default BlockSink writeWhole(String path, int mode, Instant modified, Consumer<Optional<FileVersion>> made)
            throws IOException {
        throw new UnsupportedOperationException("files of this host are written by their descriptors");
    }

    /** Returns the number of requests of this tree that can be under way at a time; 0 if that is not known. */
    default int requestsAtOnce() {
        return 0;
    }

    /**
     * Opens a file for writing.
     *
     * @param isNew whether to create the file; the file must not exist then, and must exist otherwise
     */
    BlockSink write(String path, boolean isNew) throws IOException;

    /** Returns whether an operation is likely to be answered soon. */
    boolean isReachable();

    /** Returns the silence of the server if the server currently does not respond. */
    Optional<UnresponsiveServer> unresponsiveServer();

    /** Returns whether open files can be lost and must be opened again. */
    boolean isRemote();

    /** Closes what the tree keeps open. Called after the last operation of a copy. */
    void close();

    /** Returns the mounts that replaced the original mount, in their order. */
    List<Mount> successors();
}
