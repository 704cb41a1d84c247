package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Attribute.*;
import static io.verbena.nfs41.Status.NFS4ERR_ATTRNOTSUPP;
import static io.verbena.nfs41.Status.NFS4ERR_BADOWNER;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.DeviceNumbers;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FileSystemId;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.session.ServerLimits;
import io.verbena.nfs41.server.internal.util.Names;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;

/** Converts the file system's attributes to {@code fattr4} and back (RFC 8881 section 5). Thread safe. */
final class AttributeMapper {
    /** The attributes that can be set, on new objects and on old ones. */
    static final AttributeMask SETTABLE =
            AttributeMask.of(SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET);

    private static final AttributeMask WRITE_ONLY = AttributeMask.of(TIME_ACCESS_SET, TIME_MODIFY_SET);
    private static final AttributeMask READABLE = AttributeMask.of(
            SUPPORTED_ATTRS,
            TYPE,
            FH_EXPIRE_TYPE,
            CHANGE,
            SIZE,
            LINK_SUPPORT,
            SYMLINK_SUPPORT,
            NAMED_ATTR,
            FSID,
            UNIQUE_HANDLES,
            LEASE_TIME,
            RDATTR_ERROR,
            CANSETTIME,
            CASE_INSENSITIVE,
            CASE_PRESERVING,
            CHOWN_RESTRICTED,
            FILEHANDLE,
            FILEID,
            HOMOGENEOUS,
            MAXFILESIZE,
            MAXNAME,
            MAXREAD,
            MAXWRITE,
            MODE,
            NO_TRUNC,
            NUMLINKS,
            OWNER,
            OWNER_GROUP,
            RAWDEV,
            SPACE_AVAIL,
            SPACE_FREE,
            SPACE_TOTAL,
            SPACE_USED,
            TIME_ACCESS,
            TIME_DELTA,
            TIME_METADATA,
            TIME_MODIFY,
            MOUNTED_ON_FILEID,
            SUPPATTR_EXCLCREAT);
    private static final AttributeMask CREATION = AttributeMask.of(TIME_CREATE);
    private static final AttributeMask SPACE = AttributeMask.of(SPACE_AVAIL, SPACE_FREE, SPACE_TOTAL);

    private static final int SET_GID = 02000;

    /** The number by which chown(2) leaves an owner unchanged. */
    private static final int NOBODY_AT_ALL = -1;

    private static final NfsTime ONE_NANOSECOND = new NfsTime(0, 1);

    private final ExportTree tree;
    private final AttributeMask readable;
    private final AttributeMask supported;
    private final FileSystemId fileSystem;
    private final int leaseSeconds;
    private final Runtime runtime;

    AttributeMapper(ExportTree tree, int leaseSeconds, Runtime runtime) {
        this.tree = tree;
        this.runtime = runtime;
        this.leaseSeconds = leaseSeconds;
        readable = tree.hasCreationTimes() ? READABLE.or(CREATION) : READABLE;
        supported = readable.or(WRITE_ONLY);
        fileSystem = new FileSystemId(tree.device(), tree.root().number());
    }

    /**
     * The requested attributes that the server has.
     *
     * @throws NfsError {@code INVAL} if a requested attribute can only be set
     */
    Attributes read(AttributeMask request, Inode inode, UnixAttributes from) throws IOException {
        requireReadable(request);
        Collector collector = new Collector(request.and(readable));
        ofServer(collector);
        ofObject(collector, inode, from);
        ofTimes(collector, from);
        if (!request.and(SPACE).isEmpty()) {
            ofStore(collector);
        }
        return collector.attributes.build();
    }

    /** @throws NfsError {@code INVAL} if a requested attribute can only be set */
    static void requireReadable(AttributeMask request) throws NfsError {
        if (!request.and(WRITE_ONLY).isEmpty()) {
            throw new NfsError(NFS4ERR_INVAL);
        }
    }

    /** The attributes of a READDIR entry whose attributes cannot be read. */
    static Attributes error(Status status) {
        return Attributes.builder().put(RDATTR_ERROR, status).build();
    }

    private static final class Collector {
        private final AttributeMask request;
        private final Attributes.Builder attributes = Attributes.builder();

        Collector(AttributeMask request) {
            this.request = request;
        }

        <T> Collector put(Attribute<T> attribute, T value) {
            if (request.contains(attribute)) {
                attributes.put(attribute, value);
            }
            return this;
        }

        boolean wants(Attribute<?> attribute) {
            return request.contains(attribute);
        }
    }

    private void ofServer(Collector to) {
        to.put(SUPPORTED_ATTRS, supported)
                .put(SUPPATTR_EXCLCREAT, SETTABLE)
                .put(FH_EXPIRE_TYPE, 0)
                .put(LINK_SUPPORT, true)
                .put(SYMLINK_SUPPORT, true)
                .put(NAMED_ATTR, false)
                .put(FSID, fileSystem)
                .put(UNIQUE_HANDLES, true)
                .put(LEASE_TIME, leaseSeconds)
                .put(RDATTR_ERROR, Status.NFS4_OK)
                .put(CANSETTIME, true)
                .put(CASE_INSENSITIVE, false)
                .put(CASE_PRESERVING, true)
                .put(CHOWN_RESTRICTED, true)
                .put(HOMOGENEOUS, true)
                .put(MAXFILESIZE, Long.MAX_VALUE)
                .put(MAXNAME, Names.MAX_LENGTH)
                .put(MAXREAD, (long) ServerLimits.MAX_IO)
                .put(MAXWRITE, (long) ServerLimits.MAX_IO)
                .put(NO_TRUNC, true)
                .put(TIME_DELTA, ONE_NANOSECOND);
    }

    private void ofObject(Collector to, Inode inode, UnixAttributes from) {
        to.put(TYPE, type(from))
                .put(CHANGE, ExportTree.change(inode, from))
                .put(SIZE, from.size())
                .put(FILEID, from.ino())
                .put(MOUNTED_ON_FILEID, from.ino())
                .put(MODE, from.permissions())
                .put(NUMLINKS, from.linkCount())
                .put(SPACE_USED, from.spaceUsed());
        if (to.wants(OWNER)) {
            to.put(OWNER, Integer.toUnsignedString(from.uid()));
        }
        if (to.wants(OWNER_GROUP)) {
            to.put(OWNER_GROUP, Integer.toUnsignedString(from.gid()));
        }
        if (to.wants(RAWDEV)) {
            to.put(RAWDEV, device(from.rdev()));
        }
        if (to.wants(FILEHANDLE)) {
            to.put(FILEHANDLE, FileHandle.of(tree.handle(inode)));
        }
    }

    private static void ofTimes(Collector to, UnixAttributes from) {
        if (to.wants(TIME_ACCESS)) {
            to.put(TIME_ACCESS, time(from.accessed()));
        }
        if (to.wants(TIME_MODIFY)) {
            to.put(TIME_MODIFY, time(from.modified()));
        }
        if (to.wants(TIME_METADATA)) {
            to.put(TIME_METADATA, time(from.changed()));
        }
        if (to.wants(TIME_CREATE)) {
            to.put(TIME_CREATE, time(from.created()));
        }
    }

    private void ofStore(Collector to) throws IOException {
        FileStore store = tree.store();
        to.put(SPACE_AVAIL, store.getUsableSpace())
                .put(SPACE_FREE, store.getUnallocatedSpace())
                .put(SPACE_TOTAL, store.getTotalSpace());
    }

    private static NfsTime time(FileTime time) {
        return NfsTime.of(time.toInstant());
    }

    /**
     * The device numbers in Linux's {@code dev_t}: the low eight bits are of the minor number, the next twelve of the
     * major.
     */
    private static DeviceNumbers device(long rdev) {
        int major = (int) (((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfff));
        int minor = (int) ((rdev & 0xff) | ((rdev >>> 12) & ~0xff));
        return new DeviceNumbers(major, minor);
    }

    private static ObjectType type(UnixAttributes from) {
        return switch (from.type()) {
            case UnixAttributes.DIRECTORY -> ObjectType.NF4DIR;
            case UnixAttributes.SYMBOLIC_LINK -> ObjectType.NF4LNK;
            case UnixAttributes.BLOCK_DEVICE -> ObjectType.NF4BLK;
            case UnixAttributes.CHARACTER_DEVICE -> ObjectType.NF4CHR;
            case UnixAttributes.FIFO -> ObjectType.NF4FIFO;
            case UnixAttributes.SOCKET -> ObjectType.NF4SOCK;
            default -> ObjectType.NF4REG;
        };
    }

    /**
     * Whether an object has these attributes (VERIFY and NVERIFY).
     *
     * @throws NfsError {@code ATTRNOTSUPP} for an attribute that is not supported, {@code INVAL} for one that cannot be
     *     compared
     */
    boolean isSame(Attributes expected, Inode inode, UnixAttributes from) throws IOException {
        requireSupported(expected);
        if (expected.mask().contains(RDATTR_ERROR)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return read(expected.mask(), inode, from).equals(expected);
    }

    private void requireSupported(Attributes attributes) throws NfsError {
        if (!attributes.isComplete() || !attributes.mask().minus(supported).isEmpty()) {
            throw new NfsError(NFS4ERR_ATTRNOTSUPP);
        }
    }

    /**
     * The attributes that a client sets.
     *
     * @throws NfsError {@code ATTRNOTSUPP}, {@code INVAL} for an attribute that can only be read, {@code BADOWNER}
     */
    AttributeSettings settings(Attributes attributes) throws NfsError {
        requireSupported(attributes);
        if (!attributes.mask().minus(SETTABLE).isEmpty()) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        Integer mode = attributes.get(MODE);
        Long size = attributes.get(SIZE);
        if ((mode != null && (mode & ~UnixAttributes.MODE_MASK) != 0) || (size != null && size < 0)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        SetTime accessed = attributes.get(TIME_ACCESS_SET);
        SetTime modified = attributes.get(TIME_MODIFY_SET);
        return new AttributeSettings(
                mode,
                principal(attributes.get(OWNER)),
                principal(attributes.get(OWNER_GROUP)),
                size,
                time(accessed),
                time(modified),
                isServerTime(accessed) && isServerTime(modified));
    }

    /**
     * The attributes that a new object has as its creator has requested them. Left out are an owner that the creator
     * must not set, the mode of a symbolic link, and attributes that the file system does not accept.
     */
    AttributeMask honoured(Attributes asked, UnixAttributes made) throws NfsError {
        AttributeSettings settings = settings(asked);
        AttributeMask set = asked.mask();
        if (settings.uid() != null && settings.uid() != made.uid()) {
            set = set.minus(AttributeMask.of(OWNER));
        }
        if (settings.gid() != null && settings.gid() != made.gid()) {
            set = set.minus(AttributeMask.of(OWNER_GROUP));
        }
        if (settings.mode() != null && isOther(settings.mode(), made)) {
            set = set.minus(AttributeMask.of(MODE));
        }
        return set;
    }

    /** Whether an object has another mode; set-group-id is inherited from the directory and does not count. */
    private static boolean isOther(int mode, UnixAttributes made) {
        return made.isSymbolicLink() || ((mode ^ made.permissions()) & ~SET_GID) != 0;
    }

    private static boolean isServerTime(SetTime time) {
        return time == null || time.time() == null;
    }

    private FileTime time(SetTime time) throws NfsError {
        if (time == null) {
            return null;
        }
        try {
            return FileTime.from(
                    time.time() == null ? runtime.now() : time.time().toInstant());
        } catch (DateTimeException e) {
            throw new NfsError(NFS4ERR_INVAL);
        }
    }

    /** Parses an owner, which is a number (RFC 8881 section 5.9): names are not mapped. */
    private static Integer principal(String name) throws NfsError {
        if (name == null) {
            return null;
        }
        int number;
        try {
            number = Integer.parseUnsignedInt(name);
        } catch (NumberFormatException e) {
            throw new NfsError(NFS4ERR_BADOWNER);
        }
        if (number == NOBODY_AT_ALL) {
            throw new NfsError(NFS4ERR_BADOWNER);
        }
        return number;
    }
}
