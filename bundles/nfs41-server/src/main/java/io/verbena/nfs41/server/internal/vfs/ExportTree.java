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
import io.verbena.dirfd.FileSystemSpace;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.CacheShares;
import io.verbena.nfs41.server.internal.util.HeapShare;
import io.verbena.nfs41.server.internal.util.Names;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.nfs41.server.internal.vfs.FileHandles.Identity;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The exported directory and the objects below it, each behind a file handle. No other object of the host can be
 * reached.
 *
 * <p>The confinement holds by induction. The exported directory is opened once, when the export starts, and stays open.
 * A handle is issued only for an entry that was found in an open directory whose own inode had a handle:
 * {@link OpenDirectories} descends from the exported directory by one name at a time, follows no symbolic link, and
 * compares the identity of each object that it opens. Names {@code .} and {@code ..} and names with a slash are
 * refused. Handles carry an authenticator, so that no client can name an inode that was not found that way. File
 * systems that are mounted below the exported directory are not entered.
 *
 * <p>No paths are used. Operations on an object use a descriptor of the object whose identity was checked; operations
 * on a name use an open directory. A process on this host that replaces a directory by a link, or one object by
 * another, therefore cannot redirect an operation. If the operating system cannot be called directly, java.nio is used,
 * with the limits of {@link Directories#isDescriptorOnly}.
 */
public final class ExportTree implements Closeable {
    private final Path directory;
    private final long device;
    private final boolean keepsRemovedFiles;
    private final InodeGenerations generations;
    private final FileHandles handles;
    private final InodeIndex index;
    private final Descriptors descriptors;
    private final OpenDirectories directories;
    private final ObjectLocator locator;
    private final ReadWriteLock namespace = new ReentrantReadWriteLock();
    private volatile UnlinkedOpenFiles held = UnlinkedOpenFiles.NONE;

    /**
     * Opens a directory for export.
     *
     * @param authenticator keyed by a secret that survives restarts
     * @param instance another number in each run, from 2 to 127
     * @throws IOException if the directory does not exist, is not a directory, or cannot be read
     */
    public ExportTree(Path directory, SipHash authenticator, int instance, Runtime runtime) throws IOException {
        this(directory, authenticator, instance, CacheShares.ofHeap().objects(), runtime);
    }

    /**
     * As {@link #ExportTree(Path, SipHash, int, Runtime)}.
     *
     * @param objects the heap that records of objects may take
     */
    public ExportTree(Path directory, SipHash authenticator, int instance, HeapShare objects, Runtime runtime)
            throws IOException {
        this(directory, Directories::open, authenticator, instance, objects, runtime);
    }

    /** As {@link #ExportTree(Path, SipHash, int, HeapShare, Runtime)}, with another opener. */
    public ExportTree(
            Path directory, Opener opener, SipHash authenticator, int instance, HeapShare objects, Runtime runtime)
            throws IOException {
        this(directory, opener, authenticator, instance, OpenDirectories.MAX_OPEN, objects, runtime);
    }

    /** Opens the exported directory. */
    @FunctionalInterface
    public interface Opener {
        Directory open(Path path) throws IOException;
    }

    /**
     * As {@link #ExportTree(Path, SipHash, int, Runtime)}, with another opener.
     *
     * @param openDirectories the most directories that stay open without being in use
     */
    public ExportTree(
            Path directory, Opener opener, SipHash authenticator, int instance, int openDirectories, Runtime runtime)
            throws IOException {
        this(
                directory,
                opener,
                authenticator,
                instance,
                openDirectories,
                CacheShares.ofHeap().objects(),
                runtime);
    }

    private ExportTree(
            Path directory,
            Opener opener,
            SipHash authenticator,
            int instance,
            int openDirectories,
            HeapShare objects,
            Runtime runtime)
            throws IOException {
        this.directory = directory.toRealPath();
        Directory opened = opener.open(this.directory);
        FileStatus status;
        try {
            status = opened.status();
            keepsRemovedFiles = hasDescriptors(opened);
            opened.forEachName(name -> false); // throws if the directory cannot be read
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
        UnixAttributes attributes = UnixAttributes.of(status);
        device = attributes.device();
        generations = new InodeGenerations(status.created() != null, instance);
        handles = new FileHandles(authenticator, attributes.ino());
        Inode root = Inode.root(attributes.ino(), generations.of(attributes));
        index = new InodeIndex(root, device, generations, objects, runtime);
        descriptors = new Descriptors(this::closeUnused);
        DirectoryCache cache = new DirectoryCache(opened, openDirectories, runtime);
        directories = new OpenDirectories(cache, index::isSame, descriptors);
        locator = new ObjectLocator(index, directories, namespace.readLock(), () -> held);
    }

    private static boolean hasDescriptors(Directory opened) throws IOException {
        try (FileReference duplicate = opened.duplicate().orElse(null)) {
            return duplicate != null;
        }
    }

    /** Whether an open file can still be reached after it has lost its last name: by its descriptor. */
    public boolean keepsRemovedFiles() {
        return keepsRemovedFiles;
    }

    /** Sets the open files that exist without a name. */
    public void holds(UnlinkedOpenFiles files) {
        held = files;
    }

    public Inode root() {
        return index.root();
    }

    /** The device number of the exported directory, which all objects share. */
    public long device() {
        return device;
    }

    /** Whether the file system keeps creation times. */
    public boolean hasCreationTimes() {
        return generations.kind() == InodeGenerations.CREATION_TIME;
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

    /** The handle of an object: at most 128 octets, the same for the life of the object. */
    public byte[] handle(Inode inode) {
        return handles.encode(new Identity(inode.number(), inode.generation(), generations.kind()));
    }

    /**
     * The object of a handle, if it is known without a walk through the tree.
     *
     * @return null if {@link #resolve} has to walk
     * @throws NfsError {@code STALE} if a client has removed the object
     */
    public Inode resolveKnown(byte[] handle) throws NfsError {
        Identity identity = handles.decode(handle);
        Inode inode = index.known(identity.number());
        if (inode == null) {
            inode = held.known(identity.number());
        }
        if (inode != null && generations.matches(identity, inode.generation())) {
            return inode;
        }
        if (identity.kind() == generations.kind() && index.isGone(identity.number(), identity.generation())) {
            throw new NfsError(NFS4ERR_STALE);
        }
        return null;
    }

    /**
     * The object of a handle. May walk through the whole tree.
     *
     * @throws NfsError {@code BADHANDLE} for a handle that this export has not issued, {@code STALE} if the object has
     *     been removed
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

    /** Whether a client has removed the last name of an object; the oldest removals are forgotten. */
    public boolean isRemoved(Inode inode) {
        return index.isGone(inode.number(), inode.generation());
    }

    /** The present attributes of an object. If the object is not at its known places, the tree is searched for it. */
    public UnixAttributes attributes(Inode inode) throws IOException {
        return locator.attributes(inode);
    }

    /** As {@link ObjectLocator#pin}. */
    PinnedDirectory pin(Inode inode) throws IOException {
        return locator.pin(inode);
    }

    /** As {@link ObjectLocator#withReference}. */
    public <T> T withReference(Inode inode, ObjectLocator.ReferenceAction<T> action) throws IOException {
        return locator.withReference(inode, action);
    }

    /** The change attribute, which grows with each change by any process (RFC 8881 section 5.8.1.4). */
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
     * Brings the whole file system of the export to stable storage, also files that this process may not open. Blocks.
     *
     * @return false if the platform has no such call
     */
    public boolean syncFileSystem() throws IOException {
        try (PinnedDirectory pinned = pin(root())) {
            return pinned.syncFileSystem();
        }
    }

    /** The space of the file system that the export lies in. */
    public FileSystemSpace space() throws IOException {
        try (PinnedDirectory pinned = pin(root())) {
            return pinned.space();
        }
    }

    /** Keeps open a file that was just created, for the clients that open it. */
    void keep(OpenFile made) throws IOException {
        held.keep(made);
    }

    /** Closes a directory that was removed. */
    void forget(Inode inode) {
        directories.forget(inode);
    }

    static void require(Caller caller, UnixAttributes attributes, int wanted) throws NfsError {
        if (!caller.may(attributes, wanted)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
    }

    /** An entry of a directory. */
    public FoundObject lookup(Inode parent, String name, Caller caller) throws IOException {
        return lookup(parent, null, name, caller);
    }

    /**
     * An entry of a directory.
     *
     * @param known the attributes of the directory, if the operation before has read them; else null
     */
    public FoundObject lookup(Inode parent, UnixAttributes known, String name, Caller caller) throws IOException {
        Names.check(name);
        try (PinnedDirectory pinned = locator.pin(parent, known)) {
            require(caller, pinned.attributes(), Caller.EXECUTE);
            return found(pinned, parent, name);
        }
    }

    FoundObject found(PinnedDirectory pinned, Inode parent, String name) throws IOException {
        UnixAttributes attributes = pinned.attributes(name);
        return new FoundObject(index.seen(attributes, parent, name), attributes);
    }

    /**
     * The parent of a directory.
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
            Inode.Place place = inode.place();
            if (place == null) { // another request has just removed the directory, or looks for it
                UnixAttributes unused = attributes(inode); // finds its place
                place = inode.place();
            }
            if (place == null) {
                throw new NfsError(NFS4ERR_STALE);
            }
            return place.parent();
        }
    }

    /** The text of a symbolic link, as a text of octets. */
    public String readLink(Inode inode) throws IOException {
        return withReference(inode, (reference, attributes) -> {
            if (!attributes.isSymbolicLink()) {
                throw new NfsError(NFS4ERR_WRONG_TYPE);
            }
            return OctetText.decode(reference.readLink());
        });
    }

    /** Opens a regular file. The permission is checked when a client opens the file, not here. */
    public OpenFile open(Inode inode, boolean write) throws IOException {
        return withReference(inode, (reference, attributes) -> {
            requireRegular(attributes);
            return open(inode, reference, write);
        });
    }

    /** As {@link OpenFile#open}. */
    OpenFile open(Inode inode, FileReference reference, boolean write) throws IOException {
        return descriptors.open(() -> OpenFile.open(inode, reference, write));
    }

    /** Closes what is open without being in use. Returns whether there was anything. */
    private boolean closeUnused() {
        return held.closeUnused() || directories.closeUnused();
    }

    /** Refuses objects other than regular files, with the status for the object's type. */
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

    /**
     * Drops records of objects if the caches of all exports hold too much, and this one more than its part. Called
     * periodically.
     */
    public void shrink() {
        index.shrink();
    }

    /** How many directories below the exported one are open. */
    int openDirectories() {
        return directories.count();
    }

    /** Closes all directories; the last user closes each directory that is in use. */
    @Override
    public void close() {
        directories.close();
        index.close();
    }
}
