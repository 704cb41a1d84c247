package io.verbena.nfs;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.FileAttributes.FileKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A mounted export of an NFSv4.1 server; a service with the property {@link #NAME}. Each configuration of the factory
 * {@link #PID} makes one mount, whether or not its server can be reached: see {@link #connect}.
 *
 * <p>Paths start at the export, begin with a slash, and are separated by slashes: {@code /dir/file}. The client follows
 * symbolic links within a path; methods say whether a link at the end of a path is followed. {@code .} and {@code ..}
 * are resolved and never lead above the export. A path that ends with one of them leads to a directory, and fails where
 * there is none; a link before it is followed. Methods that create, open, rename or remove a name refuse such a path,
 * and the root: it ends with no name of its own ({@code NFS4ERR_INVAL}, or {@code NFS4ERR_ISDIR} of {@link #open}).
 *
 * <p>Methods with a {@link FileKey} work on the object that was seen before, and on no other one. A path may lead to
 * another object by now, since another client, or a user of the server, can put a symbolic link or another directory in
 * its place: the method then fails with an {@link NfsException} of the status {@code NFS4ERR_NOT_SAME}, and nothing is
 * done. Where the key is that of a directory that holds a name, a symbolic link of that name is not followed. Null
 * stands for whichever object the path leads to. The server compares, by VERIFY (RFC 8881 section 18.31) in the request
 * itself.
 *
 * <p>Another service of the same name replaces a mount when the bundle of the mount is stopped, updated or refreshed,
 * or its configuration changes. Operations under way are finished within a bounded time. Later operations, and every
 * use of a {@link RemoteFile} or {@link RemoteLock} of the mount, fail with {@link MountReplacedException}. It is
 * undecided whether an operation of several steps is done once one of them may have changed something.
 *
 * <p>A server that has lost the session is asked again in the next one. Where it says then that a name exists, or does
 * not exist, and the operation itself may have brought that about, the operation fails with
 * {@link UndecidedException}.
 *
 * <p>Any thread may call any method, except that a thread that completes a future of this API must not call methods
 * that block. Methods throw the exceptions that {@link NfsException} lists, {@link ServerUnavailableException} if the
 * server cannot be reached, does not answer in time, or a service is missing, and other {@link IOException}s; futures
 * fail with the same exceptions. The messages are for people.
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

    /**
     * Configuration key: options as {@code mount -o} takes them, read by {@link MountOptions#parse}; the defaults if it
     * is absent.
     */
    String OPTIONS = "options";

    String name();

    /** {@code host:/export}. */
    String source();

    MountState state();

    /** Why {@link #state} is {@code FAILED}, or the last reason why it is {@code RECOVERING}. */
    Optional<IOException> failure();

    /** Options and negotiated values, by name, in the order to show them to people. */
    Map<String, String> settings();

    /** Counters and the present state of the mount. Cheap enough to be called every second. */
    MountStatistics statistics();

    /** As {@link MountStatistics#slotsGranted} of {@link #statistics}, without the rest of them. */
    default int slotsGranted() {
        return statistics().slotsGranted();
    }

    /**
     * The mount's share of the process's direct memory, of which the buffers of the mount are leases. A caller that
     * transfers data through the mount leases its buffers from this share too, so that all of the memory counts once,
     * and is given back together when memory is short. {@link RemoteFile#writeAsync(BufferLease, long)} takes such a
     * lease over.
     *
     * @throws IOException if the mount cannot be used
     */
    MemoryShare memory() throws IOException;

    /**
     * The longest present delay of an operation by the server: the grace period after a restart, the recall of a
     * delegation, a lock of another client. Cheap enough to be called every second.
     *
     * @return empty if no operation is delayed
     */
    default Optional<DelayedOperation> delayedOperation() {
        return Optional.empty();
    }

    /**
     * Tells whether the server is unresponsive: it is down, cannot be reached, or hangs. Cheap enough to be called
     * every second. Every request is unanswered for a short time; callers ignore short durations.
     *
     * @return empty if the server has answered all requests, or was never asked
     */
    default Optional<UnresponsiveServer> unresponsiveServer() {
        return Optional.empty();
    }

    /**
     * Explains for one object which provider and version carry the mount and why, how the data of the object is read
     * and written, inline or by chunks, and what limits the transfers. For people, in the order to show the findings.
     *
     * @param path of the object; a symbolic link at its end is followed
     */
    List<MountExplanation> explain(String path) throws IOException;

    /**
     * Waits until the mount can be used. If an earlier attempt has failed, makes the next attempt at once.
     *
     * @throws ServerUnavailableException if the server cannot be reached in time
     * @throws IOException if the mount cannot be used for another reason
     */
    void connect(Duration timeout) throws IOException;

    /**
     * Waits until a mount that was unmounted or replaced has closed its files and given up its session. The mount
     * begins to do so when its service is unregistered, and takes a bounded time, as long as the server needs.
     *
     * @return false if the mount has not ended in time
     */
    boolean awaitEnd(Duration timeout) throws InterruptedException;

    /**
     * Replaces the connection to the server by a new one, made with the services that are present, for example to
     * change the version of RPC-over-RDMA. The session goes on, and calls wait meanwhile. Blocks until the new
     * connection is established. Further connections ({@code nconnect}) are replaced one after the other, and others
     * take their places soon.
     *
     * @throws ServerUnavailableException if the connection could not be made in time; calls go on trying
     */
    void reconnect(Duration timeout) throws IOException;

    /**
     * The attributes of an object.
     *
     * @param followLink whether a symbolic link at the path's end is followed
     */
    FileAttributes attributes(String path, boolean followLink) throws IOException;

    /**
     * As {@link #attributes(String, boolean)}, of a name in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    FileAttributes attributes(String path, FileKey directory) throws IOException;

    /** As {@link #attributes(String, boolean)}, with links followed, without blocking. */
    CompletableFuture<FileAttributes> attributesAsync(String path);

    /** Changes attributes; a symbolic link at the path's end is followed. */
    default FileAttributes setAttributes(String path, AttributeChanges changes) throws IOException {
        return setAttributes(path, changes, true);
    }

    /**
     * Changes attributes (SETATTR, RFC 8881 section 18.30).
     *
     * @param followLink whether a symbolic link at the path's end is followed; if not, the owner, the group and the
     *     times of the link itself are set, as far as the server can set them
     * @return the attributes after the change
     */
    FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink) throws IOException;

    /**
     * As {@link #setAttributes(String, AttributeChanges, boolean)}, of an object that was seen before. A symbolic link
     * at the path's end is not followed.
     *
     * @param seen the object
     */
    FileAttributes setAttributes(String path, FileKey seen, AttributeChanges changes) throws IOException;

    /**
     * The entries of a directory, without {@code .} and {@code ..}, in the server's order. A fault of one entry is
     * reported by {@link DirectoryEntry#failure}, and the other entries are listed all the same.
     */
    List<DirectoryEntry> list(String path) throws IOException;

    /**
     * Lists a directory of any size without holding all of it in memory: the iterator reads ahead by pages. A fault of
     * one entry is reported by {@link DirectoryEntry#failure}, and the other entries are listed all the same. If the
     * directory changes so that the server cannot continue (NFS4ERR_NOT_SAME, NFS4ERR_BAD_COOKIE), the listing starts
     * over and returns no entry twice, for directories of up to 1,048,576 entries. A listing whose cookies repeat ends
     * with an error.
     *
     * @throws IOException if the first page cannot be read; failures of later pages come as
     *     {@link java.io.UncheckedIOException}
     */
    Iterable<DirectoryEntry> entries(String path) throws IOException;

    /**
     * As {@link #entries}, for callers that want names alone: the server is asked for no attributes. Entries have
     * {@link DirectoryEntry#NO_ATTRIBUTES}, and a failure only for a name that no object can have. An entry whose
     * attributes the server could not give is listed like any other.
     *
     * @throws IOException if the first page cannot be read; failures of later pages come as
     *     {@link java.io.UncheckedIOException}
     */
    Iterable<DirectoryEntry> names(String path) throws IOException;

    /**
     * As {@link #entries}, for one pass, with a test whether the listed attributes are still fresh: a walk through a
     * tree then needs no request for each entry.
     *
     * @throws IOException if the first page cannot be read; failures of later pages come as
     *     {@link java.io.UncheckedIOException}
     */
    default DirectoryListing listing(String path) throws IOException {
        return DirectoryListing.of(entries(path).iterator());
    }

    /**
     * As {@link #listing(String)}, of a directory that was seen before.
     *
     * @throws IOException if the first page cannot be read; failures of later pages come as
     *     {@link java.io.UncheckedIOException}
     */
    DirectoryListing listing(String path, FileKey seen) throws IOException;

    /**
     * Opens a regular file; a symbolic link at the path's end is followed.
     *
     * @param options {@link java.nio.file.StandardOpenOption}s: READ, WRITE, APPEND, TRUNCATE_EXISTING, CREATE,
     *     CREATE_NEW, DSYNC, SYNC; READ if READ, WRITE and APPEND are absent; a {@link CreateVerifier} for a CREATE_NEW
     *     that may be made again
     * @param mode the POSIX mode of a file that is created
     */
    RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException;

    /**
     * As {@link #open(String, Set, int)}, of a name in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    RemoteFile open(String path, FileKey directory, Set<? extends OpenOption> options, int mode) throws IOException;

    /**
     * Reads a regular file from its start, in as few requests as the server allows: one for a small file, which is not
     * opened then. A symbolic link at the path's end is followed. The read sees the writes through this mount that were
     * called before. Does not block; the default implementation blocks.
     *
     * @param destination takes at most its remaining octets, and its position advances; belongs to the mount until the
     *     future is complete; direct buffers save a copy
     */
    default CompletableFuture<FileRead> readFileAsync(String path, ByteBuffer destination) {
        return WholeFiles.read(() -> open(path, Set.of(StandardOpenOption.READ), 0), destination);
    }

    /**
     * As {@link #readFileAsync(String, ByteBuffer)}, of a name in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    default CompletableFuture<FileRead> readFileAsync(String path, FileKey directory, ByteBuffer destination) {
        return WholeFiles.read(() -> open(path, directory, Set.of(StandardOpenOption.READ), 0), destination);
    }

    /**
     * Creates a regular file with its content and attributes, which are on stable storage when the future completes. A
     * small file takes one request: OPEN, WRITE, SETATTR and CLOSE are one COMPOUND (RFC 8881 section 16.2). The file
     * has mode 0600 until it has its content. Does not block; the default implementation blocks.
     *
     * <p>If the call fails, the file may exist, with a part of the content or all of it. It fails with {@link
     * java.nio.file.FileAlreadyExistsException} where the name is taken, and with {@link UndecidedException} where the
     * file may be of this very call: the server has lost the session before the client had the reply. A caller who
     * alone knows the name may then remove the file and call again.
     *
     * @param content the remaining octets, whose position advances; belongs to the mount until the future is complete
     * @param attributes what to set once the content is written, without a size
     * @return the attributes of the complete file
     */
    default CompletableFuture<FileAttributes> createFileAsync(
            String path, ByteBuffer content, AttributeChanges attributes) {
        return createFileAsync(path, null, content, attributes);
    }

    /**
     * As {@link #createFileAsync(String, ByteBuffer, AttributeChanges)}, in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    default CompletableFuture<FileAttributes> createFileAsync(
            String path, FileKey directory, ByteBuffer content, AttributeChanges attributes) {
        return WholeFiles.create(this, path, directory, content, attributes);
    }

    /** Creates a directory. */
    default void createDirectory(String path, int mode) throws IOException {
        createDirectory(path, null, mode);
    }

    /**
     * As {@link #createDirectory(String, int)}, in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    void createDirectory(String path, FileKey directory, int mode) throws IOException;

    /** Creates a symbolic link at {@code path} with the text {@code target}, unchanged. */
    default void createSymbolicLink(String path, String target) throws IOException {
        createSymbolicLink(path, null, target);
    }

    /**
     * As {@link #createSymbolicLink(String, String)}, in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    void createSymbolicLink(String path, FileKey directory, String target) throws IOException;

    /**
     * Creates a FIFO, the name of a socket, or a device file (CREATE, RFC 8881 section 18.4).
     *
     * @param type {@link FileType#FIFO}, {@link FileType#SOCKET}, {@link FileType#CHARACTER_DEVICE} or
     *     {@link FileType#BLOCK_DEVICE}
     * @param major the first number of a device, else ignored
     * @param minor the second number of a device, else ignored
     * @throws UnsupportedOperationException if the client has no such call
     */
    default void createSpecial(String path, FileType type, int mode, int major, int minor) throws IOException {
        createSpecial(path, null, type, mode, major, minor);
    }

    /**
     * As {@link #createSpecial(String, FileType, int, int, int)}, in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    default void createSpecial(String path, FileKey directory, FileType type, int mode, int major, int minor)
            throws IOException {
        throw new UnsupportedOperationException("objects of the type " + type + " cannot be made");
    }

    /** Creates a hard link to an existing file. */
    default void createLink(String path, String existing) throws IOException {
        createLink(path, null, existing, null);
    }

    /**
     * As {@link #createLink(String, String)}, in directories that were seen before.
     *
     * @param directory the directory that holds the new name
     * @param existingDirectory the directory that holds the existing name
     */
    void createLink(String path, FileKey directory, String existing, FileKey existingDirectory) throws IOException;

    /** The text of a symbolic link. */
    String readLink(String path) throws IOException;

    /** Removes a file, a link or an empty directory. */
    default void remove(String path) throws IOException {
        remove(path, null);
    }

    /** As {@link #remove}, without blocking; the default implementation blocks. */
    default CompletableFuture<Void> removeAsync(String path) {
        return removeAsync(path, null);
    }

    /**
     * As {@link #remove(String)}, of a name in a directory that was seen before.
     *
     * @param directory the directory that holds the name
     */
    void remove(String path, FileKey directory) throws IOException;

    /** As {@link #remove(String, FileKey)}, without blocking; the default implementation blocks. */
    default CompletableFuture<Void> removeAsync(String path, FileKey directory) {
        try {
            remove(path, directory);
            return CompletableFuture.completedFuture(null);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Renames within the mount; replaces a file at the new name, as rename(2) does. */
    default void rename(String from, String to) throws IOException {
        rename(from, null, to, null);
    }

    /**
     * As {@link #rename(String, String)}, in directories that were seen before.
     *
     * @param directory the directory that holds the old name
     * @param newDirectory the directory that holds the new name
     */
    void rename(String from, FileKey directory, String to, FileKey newDirectory) throws IOException;

    /** Whether this user may read, write and execute (or search), according to the server (ACCESS). */
    boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException;

    /** The space of the file system that holds the path. */
    FileSystemStatus fileSystemStatus(String path) throws IOException;
}
