package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_ISDIR;
import static io.verbena.nfs41.Status.NFS4ERR_NOENT;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;
import static io.verbena.nfs41.Status.NFS4ERR_SYMLINK;
import static io.verbena.nfs41.Status.NFS4ERR_WRONG_TYPE;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.server.internal.vfs.FileHandles.Identity;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/**
 * The exported directory and what is below it, as objects behind handles. Nothing else on the host can be reached.
 *
 * <p>How that is kept, by induction. The exported directory is opened once, when the export starts, and stays open. A
 * handle is issued only for an entry that was found in an open directory whose own inode had a handle: {@link
 * OpenDirectories} goes down from the exported directory by one name at a time, follows no symbolic link, and compares
 * the identity of what it has opened. Entries named {@code .} or {@code ..} or with a slash are refused. Handles carry an
 * authenticator, so that no client can name an inode that was not found that way. Other file systems mounted below the
 * export are not entered.
 *
 * <p>No path is ever used. What is done to an object is done by a descriptor of the object, whose identity was checked
 * before; what is done to a name is done in an open directory. So a process on this host that swaps a directory for a
 * link, or one object for another, leads nothing astray. Where the operating system cannot be called directly, java.nio
 * does what it can, with the limits that {@link Directories#isDescriptorOnly} tells of.
 */
public final class ExportTree implements Closeable {
    private final Path directory;
    private final long device;
    private final boolean keepsRemovedFiles;
    private final Generations generations;
    private final FileHandles handles;
    private final InodeIndex index;
    private final OpenDirectories directories;
    private final ObjectLocator locator;
    private final ReadWriteLock namespace = new ReentrantReadWriteLock();
    private volatile HeldFiles held = HeldFiles.NONE;

    /**
     * Opens a directory for export.
     *
     * @param authenticator keyed by a secret that outlives restarts
     * @param instance differs from run to run, from 2 to 127
     * @throws IOException where it is not there, not a directory or cannot be read
     */
    public ExportTree(Path directory, SipHash authenticator, int instance) throws IOException {
        this(directory, Directories::open, authenticator, instance, OpenDirectories.MAX_OPEN, System::nanoTime);
    }

    /** What opens the exported directory. */
    @FunctionalInterface
    interface Opener {
        Directory open(Path path) throws IOException;
    }

    /**
     * As above, by another opener and clock.
     *
     * @param openDirectories the most directories that are kept open without being in use
     */
    ExportTree(
            Path directory,
            Opener opener,
            SipHash authenticator,
            int instance,
            int openDirectories,
            LongSupplier nanoClock)
            throws IOException {
        this.directory = directory.toRealPath();
        Directory opened = opener.open(this.directory);
        FileStatus status;
        try {
            status = opened.status();
            keepsRemovedFiles = hasDescriptors(opened);
            opened.forEachName(name -> false); // it must be readable
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        UnixAttributes attributes = UnixAttributes.of(status);
        device = attributes.device();
        generations = new Generations(status.created() != null, instance);
        handles = new FileHandles(authenticator, attributes.ino());
        Inode root = Inode.root(attributes.ino(), generations.of(attributes));
        index = new InodeIndex(root, device, generations);
        directories = new OpenDirectories(new DirectoryCache(opened, openDirectories, nanoClock), index::isSame);
        locator = new ObjectLocator(index, directories, namespace.readLock(), () -> held);
    }

    private static boolean hasDescriptors(Directory opened) throws IOException {
        try (FileReference duplicate = opened.duplicate().orElse(null)) {
            return duplicate != null;
        }
    }

    /** Whether a file that is open can be reached when it has no name any more: by a descriptor. */
    public boolean keepsRemovedFiles() {
        return keepsRemovedFiles;
    }

    /** From now on these files are there although they have no name. */
    void holds(HeldFiles files) {
        held = files;
    }

    public Inode root() {
        return index.root();
    }

    /** The device number of the exported directory, which all objects share. */
    public long device() {
        return device;
    }

    /** Whether the file system keeps times of creation. */
    public boolean hasCreationTimes() {
        return generations.kind() == Generations.CREATION_TIME;
    }

    /** The file system that the export lies in. */
    public FileStore store() throws IOException {
        return Files.getFileStore(directory);
    }

    InodeIndex index() {
        return index;
    }

    ReadWriteLock namespace() {
        return namespace;
    }

    /** An object's handle: at most 128 octets, the same as long as the object lives. */
    public byte[] handle(Inode inode) {
        return handles.encode(new Identity(inode.number(), inode.generation(), generations.kind()));
    }

    /**
     * The object that a handle names, if it can be told without a walk through the tree.
     *
     * @return null where {@link #resolve} has to walk
     */
    public Inode resolveKnown(byte[] handle) throws NfsError {
        Identity identity = handles.decode(handle);
        Inode inode = index.known(identity.number());
        if (inode == null) {
            inode = held.known(identity.number());
        }
        return inode != null && generations.matches(identity, inode.generation()) ? inode : null;
    }

    /**
     * The object that a handle names; may walk through the whole tree.
     *
     * @throws NfsError {@code BADHANDLE} for a handle that is not this export's, {@code STALE} where the object is gone
     */
    public Inode resolve(byte[] handle) throws IOException {
        Inode known = resolveKnown(handle);
        if (known != null) {
            return known;
        }
        Identity identity = handles.decode(handle);
        Inode inode = index.walkFor(identity.number(), directories);
        if (inode == null || !generations.matches(identity, inode.generation())) {
            throw new NfsError(NFS4ERR_STALE);
        }
        return inode;
    }

    /** The object's attributes now; where it is not at its known places, it is looked for. */
    public UnixAttributes attributes(Inode inode) throws IOException {
        return locator.attributes(inode);
    }

    /** As {@link ObjectLocator#pin}. */
    PinnedDirectory pin(Inode inode) throws IOException {
        return locator.pin(inode);
    }

    /** As {@link ObjectLocator#withReference}. */
    <T> T withReference(Inode inode, ObjectLocator.ReferenceAction<T> action) throws IOException {
        return locator.withReference(inode, action);
    }

    /** The change attribute: grows with each change, whoever makes it (RFC 8881 section 5.8.1.4). */
    public static long change(Inode inode, UnixAttributes attributes) {
        return UnixAttributes.nanos(attributes.changed()) + inode.changes();
    }

    /** Brings the names in a directory to stable storage. Blocks. */
    public void sync(Inode inode) throws IOException {
        try (PinnedDirectory pinned = pin(inode)) {
            pinned.sync();
        }
    }

    /**
     * Brings all of the export's file system to stable storage: what this process may not open, too. Blocks.
     *
     * @return false where there is no call for that
     */
    boolean syncFileSystem() throws IOException {
        try (PinnedDirectory pinned = pin(root())) {
            return pinned.syncFileSystem();
        }
    }

    /** Takes in a file that was opened while it was made, for those who open it. */
    void keep(OpenFile made) throws IOException {
        held.keep(made);
    }

    /** Closes a directory that has been removed. */
    void forget(Inode inode) {
        directories.forget(inode);
    }

    static void require(Caller caller, UnixAttributes attributes, int wanted) throws NfsError {
        if (!caller.may(attributes, wanted)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
    }

    /** An entry of a directory. */
    public Found lookup(Inode parent, String name, Caller caller) throws IOException {
        Names.check(name);
        try (PinnedDirectory pinned = pin(parent)) {
            require(caller, pinned.attributes(), Caller.EXECUTE);
            return found(pinned, parent, name);
        }
    }

    Found found(PinnedDirectory pinned, Inode parent, String name) throws IOException {
        UnixAttributes attributes = pinned.attributes(name);
        return new Found(index.seen(attributes, parent, name), attributes);
    }

    /**
     * The directory that a directory is in.
     *
     * @throws NfsError {@code NOENT} for the exported directory itself
     */
    public Inode parent(Inode inode, Caller caller) throws IOException {
        directories.expire(inode);
        try (PinnedDirectory pinned = pin(inode)) {
            require(caller, pinned.attributes(), Caller.EXECUTE);
            if (inode.isRoot()) {
                throw new NfsError(NFS4ERR_NOENT);
            }
            return inode.place().parent();
        }
    }

    /** What a symbolic link holds, as a text of octets. */
    public String readLink(Inode inode) throws IOException {
        return withReference(inode, (reference, attributes) -> {
            if (!attributes.isSymbolicLink()) {
                throw new NfsError(NFS4ERR_WRONG_TYPE);
            }
            return OctetText.decode(reference.readLink());
        });
    }

    /** Opens a regular file. Permission is checked when a client opens it, not here. */
    public OpenFile open(Inode inode, boolean write) throws IOException {
        return withReference(inode, (reference, attributes) -> {
            requireRegular(attributes);
            return OpenFile.open(inode, reference, write);
        });
    }

    /** Refuses all but regular files, with the status that says what the object is. */
    public static void requireRegular(UnixAttributes attributes) throws NfsError {
        if (attributes.isDirectory()) {
            throw new NfsError(NFS4ERR_ISDIR);
        }
        if (attributes.isSymbolicLink()) {
            throw new NfsError(NFS4ERR_SYMLINK);
        }
        if (!attributes.isRegular()) {
            throw new NfsError(NFS4ERR_INVAL);
        }
    }

    /** How many directories below the exported one are open. */
    int openDirectories() {
        return directories.count();
    }

    /** Closes all directories; those in use are closed by who uses them last. */
    @Override
    public void close() {
        directories.close();
    }
}
