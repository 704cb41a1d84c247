package io.verbena.fuse.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import java.util.ArrayDeque;
import java.util.Deque;

/** An object that the kernel knows by a number. Its names are guarded by the {@link NodeTable}. */
public final class Node {
    private static final int SET_ID = Protocol.S_ISUID | Protocol.S_ISGID;

    private final long id;
    private final Key key;

    /** The last one is the name that was seen last. */
    final Deque<Name> names = new ArrayDeque<>(1);

    /** How often the kernel has looked the node up, and not forgotten it. */
    long lookups;

    private volatile int mode;
    /** How often set-id bits were seen. Attributes without them do not count, as they may be older. */
    private volatile int setIdSeen;

    private volatile int setIdGone;
    /** The version of the attributes that the kernel was told last. */
    private volatile long told;

    private volatile long inode;

    @GuardedBy("this")
    private long change;

    @GuardedBy("this")
    private boolean hasStalePages;

    private final WriteFailures writeFailures = new WriteFailures();

    /**
     * What makes two names those of one object.
     *
     * @param type so that a number that the server has given to another object is not taken for the same one
     */
    record Key(long major, long minor, long fileId, FileType type) {
        static Key of(FileAttributes attributes) {
            return new Key(
                    attributes.fileSystemMajor(), attributes.fileSystemMinor(), attributes.fileId(), attributes.type());
        }
    }

    /** A name in a directory. */
    record Name(Node directory, String name) {}

    Node(long id, Key key) {
        this.id = id;
        this.key = key;
    }

    /** The kernel's number of the node. */
    public long id() {
        return id;
    }

    Key key() {
        return key;
    }

    /** What tells the object from others at the server; null for the root of the mount. */
    public FileKey fileKey() {
        return key == null ? null : new FileKey(key.major(), key.minor(), key.fileId());
    }

    /** Whether the attributes are those of this object. */
    public boolean is(FileAttributes attributes) {
        return key == null || key.equals(Key.of(attributes));
    }

    public boolean isDirectory() {
        return key == null || key.type() == FileType.DIRECTORY;
    }

    /** Notes attributes of the object, which the kernel is told. */
    public synchronized void seen(FileAttributes attributes) {
        mode = attributes.mode();
        if ((attributes.mode() & SET_ID) != 0) {
            setIdSeen++;
        }
        told = attributes.change();
    }

    /** Whether the kernel was told the attributes of this version last. */
    public boolean isTold(long version) {
        return told == version;
    }

    /** Notes the inode number that programs see. */
    public void numbered(long number) {
        inode = number;
    }

    /** The inode number that programs see; 0 where they were told none. */
    public long inode() {
        return inode;
    }

    public WriteFailures writeFailures() {
        return writeFailures;
    }

    /** How often set-id bits were seen; a change tells of bits that came meanwhile. */
    public int setIdSeen() {
        return setIdSeen;
    }

    /** Whether the object may have set-id bits, as far as this mount was told. */
    public boolean mayHaveSetId() {
        return setIdSeen != setIdGone;
    }

    /**
     * Notes that the object has no set-id bits.
     *
     * @param seen {@link #setIdSeen} before the server was asked
     */
    public void setIdGone(int seen) {
        setIdGone = seen;
    }

    /** The mode that was seen last. */
    public int mode() {
        return mode;
    }

    /** Notes that the kernel has pages that are not those of the file. */
    synchronized void hasStalePages() {
        hasStalePages = true;
    }

    /**
     * Notes the version of the content at an open. The kernel drops pages then that are not those of this version.
     *
     * @return whether the kernel's pages are those of this version
     */
    public synchronized boolean isUnchanged(long version) {
        boolean same = change == version && !hasStalePages;
        change = version;
        hasStalePages = false;
        return same;
    }
}
