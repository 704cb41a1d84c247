package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_ISDIR;
import static io.verbena.nfs41.Status.NFS4ERR_NOENT;
import static io.verbena.nfs41.Status.NFS4ERR_NOTDIR;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;
import static io.verbena.nfs41.Status.NFS4ERR_SYMLINK;
import static io.verbena.nfs41.Status.NFS4ERR_WRONG_TYPE;

import io.verbena.nfs41.server.internal.vfs.FileHandles.Identity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The exported directory and what is below it, as objects behind handles. Nothing else on the host can be reached.
 *
 * <p>How that is kept, by induction. The exported directory's inode is noted when the export starts. A handle is issued
 * only for an entry that was found in an open directory whose own inode had a handle: the directory is opened by its
 * path, its identity is then asked of the descriptor (fstat) and compared, and the entry is asked for relative to that
 * descriptor without following links (fstatat). Entries named {@code .} or {@code ..} or with a slash are refused. So a
 * path is never trusted, only the identity of what was opened by it; a symbolic link or a rename that leads the path
 * elsewhere makes the identities differ, and the call is tried again or answered with {@code STALE}. Handles carry an
 * authenticator, so that no client can name an inode that was not found that way. Other file systems mounted below the
 * export are not entered.
 *
 * <p>Opening, removing, renaming, chmod of plain permission bits, chown and utimes go by the descriptor and hold
 * against every race. For mkdir, symlink, link, readlink, lchown and lutimes of symbolic links, and modes with set-id or sticky
 * bits the JDK has no call that does: those go by the path, right after and right before its identity is checked, and under a lock that keeps
 * every rename and removal by NFS clients out. They can be led astray only by a process on this host that has write
 * permission in the export and swaps a directory for a link in just that moment; what went astray is reported as
 * {@code STALE} and for readlink not shown.
 */
public final class ExportTree {
    private static final int ATTEMPTS = 3;

    private final Path directory;
    private final long device;
    private final Generations generations;
    private final FileHandles handles;
    private final InodeIndex index;
    private final ReadWriteLock namespace = new ReentrantReadWriteLock();

    /**
     * Opens a directory for export.
     *
     * @param authenticator keyed by a secret that outlives restarts
     * @param instance differs from run to run, from 2 to 127
     * @throws IOException where it is not there, not a directory or cannot be read
     */
    public ExportTree(Path directory, SipHash authenticator, int instance) throws IOException {
        this.directory = directory.toRealPath();
        UnixAttributes attributes = UnixAttributes.read(this.directory);
        if (!attributes.isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
        if (!PinnedDirectory.isPossible(this.directory)) {
            throw new FileSystemException(
                    directory.toString(), null, "this Java runtime cannot open files relative to a directory here");
        }
        device = attributes.device();
        generations = new Generations(Generations.areCreationTimesKept(this.directory, attributes), instance);
        handles = new FileHandles(authenticator, attributes.ino());
        Inode root = Inode.root(attributes.ino(), generations.of(attributes), this.directory);
        index = new InodeIndex(root, device, generations);
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
        Inode inode = index.walkFor(identity.number());
        if (inode == null || !generations.matches(identity, inode.generation())) {
            throw new NfsError(NFS4ERR_STALE);
        }
        return inode;
    }

    /** The object's attributes now; where it is not at its known places, it is looked for. */
    public UnixAttributes attributes(Inode inode) throws IOException {
        UnixAttributes attributes = attributesAtPlace(inode);
        if (attributes == null) {
            // a rename may be under way: wait for its end
            namespace.readLock().lock();
            try {
                attributes = attributesAtPlace(inode);
            } finally {
                namespace.readLock().unlock();
            }
        }
        return attributes != null ? attributes : attributesElsewhere(inode);
    }

    private UnixAttributes attributesAtPlace(Inode inode) throws IOException {
        Path path = index.path(inode);
        if (path == null) {
            return null;
        }
        try {
            UnixAttributes attributes = UnixAttributes.read(path);
            return isSame(inode, attributes) ? attributes : null;
        } catch (FileSystemException e) {
            if (IoErrors.status(e) == NFS4ERR_NOENT || IoErrors.status(e) == NFS4ERR_NOTDIR) {
                return null;
            }
            throw e;
        }
    }

    private UnixAttributes attributesElsewhere(Inode inode) throws IOException {
        Inode.Place lost = inode.place();
        for (Inode.Place place : inode.places()) {
            UnixAttributes attributes = attributesAtPlace(inode);
            if (attributes != null) {
                return attributes;
            }
            inode.goneFrom(place.parent(), place.name());
        }
        Inode found = index.walkFor(inode.number());
        if (found != null && found.equals(inode) && found.place() != null) {
            inode.seenAt(found.place().parent(), found.place().name());
        } else if (lost != null) {
            inode.seenAt(lost.parent(), lost.name()); // it may come back there
        }
        UnixAttributes attributes = attributesAtPlace(inode);
        if (attributes == null) {
            throw new NfsError(NFS4ERR_STALE);
        }
        return attributes;
    }

    private boolean isSame(Inode inode, UnixAttributes attributes) {
        return attributes.ino() == inode.number()
                && attributes.device() == device
                && generations.of(attributes) == inode.generation();
    }

    /** The change attribute: grows with each change, whoever makes it (RFC 8881 section 5.8.1.4). */
    public static long change(Inode inode, UnixAttributes attributes) {
        return UnixAttributes.nanos(attributes.changed()) + inode.changes();
    }

    /** Pins a directory. */
    PinnedDirectory pin(Inode inode) throws IOException {
        for (int attempt = 0; ; attempt++) {
            UnixAttributes attributes = attributes(inode);
            requireDirectory(attributes);
            try {
                return PinnedDirectory.open(index.path(inode), attributes);
            } catch (IOException e) {
                if (attempt == ATTEMPTS - 1 || IoErrors.status(e) == NFS4ERR_ACCESS) {
                    throw e;
                }
            }
        }
    }

    static void requireDirectory(UnixAttributes attributes) throws NfsError {
        if (attributes.isSymbolicLink()) {
            throw new NfsError(NFS4ERR_SYMLINK);
        }
        if (!attributes.isDirectory()) {
            throw new NfsError(NFS4ERR_NOTDIR);
        }
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
        UnixAttributes attributes = attributes(inode);
        requireDirectory(attributes);
        require(caller, attributes, Caller.EXECUTE);
        if (inode.isRoot()) {
            throw new NfsError(NFS4ERR_NOENT);
        }
        return inode.place().parent();
    }

    /** What a symbolic link holds. */
    public String readLink(Inode inode) throws IOException {
        namespace.readLock().lock();
        try {
            if (!attributes(inode).isSymbolicLink()) {
                throw new NfsError(NFS4ERR_WRONG_TYPE);
            }
            String text = Files.readSymbolicLink(index.path(inode)).toString();
            if (attributesAtPlace(inode) == null) {
                throw new NfsError(NFS4ERR_STALE);
            }
            return text;
        } finally {
            namespace.readLock().unlock();
        }
    }

    /** Opens a regular file. Permission is checked when a client opens it, not here. */
    public FileChannel open(Inode inode, boolean write) throws IOException {
        Set<StandardOpenOption> options =
                write ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE) : Set.of(StandardOpenOption.READ);
        return atPlace(inode, (pinned, name, attributes) -> {
            requireRegular(attributes);
            FileChannel channel = pinned.open(name, options);
            if (!isSame(inode, pinned.attributes(name))) {
                channel.close();
                throw new NfsError(NFS4ERR_STALE);
            }
            return channel;
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

    /** Something to do with an entry of a pinned directory. */
    @FunctionalInterface
    interface EntryAction<T> {
        T apply(PinnedDirectory pinned, String name, UnixAttributes attributes) throws IOException;
    }

    /** Does something with an object, other than the exported directory, where it is. */
    <T> T atPlace(Inode inode, EntryAction<T> action) throws IOException {
        for (int attempt = 0; ; attempt++) {
            attributes(inode); // finds its place
            Inode.Place place = inode.place();
            if (place == null) {
                throw new NfsError(inode.isRoot() ? NFS4ERR_ISDIR : NFS4ERR_STALE);
            }
            try (PinnedDirectory pinned = pin(place.parent())) {
                UnixAttributes attributes = pinned.attributesIfThere(place.name());
                if (attributes != null && isSame(inode, attributes)) {
                    return action.apply(pinned, place.name(), attributes);
                }
            }
            if (attempt == ATTEMPTS - 1) {
                throw new NfsError(NFS4ERR_STALE);
            }
        }
    }
}
