package io.verbena.nfs;

import java.io.IOException;
import java.nio.file.OpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A mounted export of an NFSv4.1 server; a service with the property {@link #NAME}. Each configuration of the factory
 * {@link #PID} makes one, whether or not its server can be reached: {@link #connect} tells.
 *
 * <p>Paths start at the export, are separated by slashes, and begin with one: {@code /dir/file}. Symbolic links within
 * a path are followed on the client's side; those at its end only where a method says so. {@code .} and {@code ..} are
 * resolved and never lead above the export.
 *
 * <p>A mount is replaced by another service of the same name when its bundle is stopped, updated or refreshed, or its
 * configuration changes. Operations under way are finished within a bound; what comes later, and every use of a
 * {@link RemoteFile} or {@link RemoteLock} of it, fails with {@link MountReplacedException}.
 *
 * <p>Methods may be called from any thread, except blocking ones from a thread that completes a future of this API.
 * They throw what {@link NfsException} lists, {@link ServerUnavailableException} where the server cannot be reached or
 * does not answer in time or a service is missing, and other {@link IOException}s; futures fail with the same. The messages
 * are written for people.
 */
@ProviderType
public interface Mount {
    /** Factory pid of mounts: {@code io.verbena.nfs.mount~NAME}. */
    String PID = "io.verbena.nfs.mount";

    /** Service property and configuration key: the mount's name. */
    String NAME = "verbena.mount.name";

    /** Configuration key: the server's host name or address. */
    String SERVER = "server";

    /** Configuration key: the path of the export on the server, {@code /} for its root. */
    String EXPORT = "export";

    /** Configuration key: what {@code mount -o} takes, read by {@link MountOptions#parse}; nothing for the defaults. */
    String OPTIONS = "options";

    String name();

    /** {@code host:/export}. */
    String source();

    MountState state();

    /** Why {@link #state} is {@code FAILED}, or the last reason why it is {@code RECOVERING}. */
    Optional<IOException> failure();

    /** Options and what was negotiated, by name, in the order to show them to people. */
    Map<String, String> settings();

    /** What the mount has done and how it stands; cheap enough to be asked for every second. */
    MountStatistics statistics();

    /**
     * What operations wait for now because the server puts them off: a grace period after its restart, a delegation that
     * it recalls, another client's lock. Cheap enough to be asked for every second.
     *
     * @return the longest wait; empty where there is none
     */
    default Optional<Waiting> waiting() {
        return Optional.empty();
    }

    /**
     * Why things are as they are for one object: which provider and version carry the mount and why, how the reading and
     * writing of it travel, inline or by chunks, and what limits them. For people, in the order to show it to them.
     *
     * @param path of the object; a symbolic link at its end is followed
     */
    List<Finding> explain(String path) throws IOException;

    /**
     * Waits until the mount can be used; tries at once where an earlier try has failed.
     *
     * @throws ServerUnavailableException where the server cannot be reached in time
     * @throws IOException for other reasons why it cannot be used
     */
    void connect(Duration timeout) throws IOException;

    /**
     * Waits until a mount that was unmounted or replaced has closed its files and given up its session: that begins when
     * its service goes, and takes as long as the server takes for it, within a bound.
     *
     * @return false where it has not come to that in time
     */
    boolean awaitEnd(Duration timeout) throws InterruptedException;

    /**
     * Puts another connection to the server in the place of the present one, made of what is there now, as to go to
     * another version of RPC-over-RDMA; the session goes on, and calls wait meanwhile. Blocks until it stands.
     *
     * @throws ServerUnavailableException why it could not be made in time; calls go on trying
     */
    void reconnect(Duration timeout) throws IOException;

    /**
     * An object's attributes.
     *
     * @param followLink whether a symbolic link at the path's end is followed
     */
    FileAttributes attributes(String path, boolean followLink) throws IOException;

    /** As {@link #attributes}, links followed, without blocking. */
    CompletableFuture<FileAttributes> attributesAsync(String path);

    /** Changes attributes; a symbolic link at the path's end is followed. */
    default FileAttributes setAttributes(String path, AttributeChanges changes) throws IOException {
        return setAttributes(path, changes, true);
    }

    /**
     * Changes attributes (SETATTR, RFC 8881 section 18.30).
     *
     * @param followLink whether a symbolic link at the path's end is followed; where it is not, the link's own owner,
     *     group and times are set, as far as the server lets them be
     * @return the attributes after that
     */
    FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink) throws IOException;

    /**
     * The entries of a directory, without {@code .} and {@code ..}, in the server's order. What is wrong with one entry
     * is told by {@link DirectoryEntry#failure} and costs no other.
     */
    List<DirectoryEntry> list(String path) throws IOException;

    /**
     * Goes through a directory of any size without holding all of it: the iterator reads ahead by pages. What is wrong
     * with one entry is told by {@link DirectoryEntry#failure} and costs no other. Where the server cannot go on in a
     * directory that changes (NFS4ERR_NOT_SAME, NFS4ERR_BAD_COOKIE), the listing starts over and gives no entry twice, in
     * directories of up to 1,048,576 entries; a listing that goes in circles ends with an error.
     *
     * @throws IOException for the first page's errors; later ones come as {@link java.io.UncheckedIOException}
     */
    Iterable<DirectoryEntry> entries(String path) throws IOException;

    /**
     * As {@link #entries}, once, for who wants to know whether the attributes that were listed still hold: a walk through
     * a tree can do without a request for each entry.
     *
     * @throws IOException for the first page's errors; later ones come as {@link java.io.UncheckedIOException}
     */
    default DirectoryListing listing(String path) throws IOException {
        return DirectoryListing.of(entries(path).iterator());
    }

    /**
     * Opens a regular file; a symbolic link at the path's end is followed.
     *
     * @param options {@link java.nio.file.StandardOpenOption}s: READ, WRITE, APPEND, TRUNCATE_EXISTING, CREATE,
     *     CREATE_NEW, DSYNC, SYNC; READ where neither READ nor WRITE nor APPEND is named
     * @param mode the POSIX mode of a file that is created
     */
    RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException;

    /** Makes a directory. */
    void createDirectory(String path, int mode) throws IOException;

    /** Makes a symbolic link at {@code path} that holds {@code target} as it is. */
    void createSymbolicLink(String path, String target) throws IOException;

    /** Gives an existing file a further name. */
    void createLink(String path, String existing) throws IOException;

    /** What a symbolic link holds. */
    String readLink(String path) throws IOException;

    /** Removes a file, a link or an empty directory. */
    void remove(String path) throws IOException;

    /** Renames within the mount; a file at the new name is replaced, as rename(2) does. */
    void rename(String from, String to) throws IOException;

    /** Whether this user may read, write and execute (or search), as far as the server tells (ACCESS). */
    boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException;

    /** Room in the file system that holds the path. */
    FileSystemStatus fileSystemStatus(String path) throws IOException;
}
