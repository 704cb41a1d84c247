package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Attribute.*;
import static io.verbena.nfs41.Status.NFS4ERR_ATTRNOTSUPP;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.dirfd.FileSystemSpace;
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
import io.verbena.nfs41.server.internal.security.OwnerNames;
import io.verbena.nfs41.server.internal.session.ServerLimits;
import io.verbena.nfs41.server.internal.util.Names;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;

/** Converts the file system's attributes to {@code fattr4} and back (RFC 8881 section 5). Thread safe. */
final class AttributeMapper {
    /** The attributes that can be set, on new objects and on old ones. */
    static final AttributeMask SETTABLE =
            AttributeMask.of(SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET);

    private static final AttributeMask WRITE_ONLY = AttributeMask.of(TIME_ACCESS_SET, TIME_MODIFY_SET);
    private static final AttributeMask OWNERS = AttributeMask.of(OWNER, OWNER_GROUP);
    private static final AttributeMask CREATION = AttributeMask.of(TIME_CREATE);
    private static final AttributeMask ENTRY_ALONE = AttributeMask.of(RDATTR_ERROR);
    private static final AttributeMask SPACE =
            AttributeMask.of(SPACE_AVAIL, SPACE_FREE, SPACE_TOTAL, FILES_AVAIL, FILES_FREE, FILES_TOTAL);

    private static final int SET_GID = 02000;

    private static final NfsTime ONE_NANOSECOND = new NfsTime(0, 1);

    private final ExportTree tree;
    private final OwnerNames owners;
    private final Runtime runtime;

    /** By number; null for what cannot be read. */
    private final Value[] values = new Value[AttributeMask.LIMIT];

    private final AttributeMask readable;
    private final AttributeMask supported;

    AttributeMapper(ExportTree tree, int leaseSeconds, OwnerNames owners, Runtime runtime) {
        this.tree = tree;
        this.owners = owners;
        this.runtime = runtime;
        AttributeMask all = ofServer(leaseSeconds).or(ofObject()).or(ofTimes()).or(ofStore());
        readable = tree.hasCreationTimes() ? all : all.minus(CREATION);
        supported = readable.or(WRITE_ONLY);
    }

    /** Writes the value of an attribute. */
    @FunctionalInterface
    private interface Value {
        void write(Source of, XdrWriter out);
    }

    /**
     * What attributes are read from.
     *
     * @param store the space of the file system; null where no attribute of that is asked for
     */
    private record Source(Inode inode, UnixAttributes from, FileSystemSpace store) {}

    private AttributeMask has(Attribute<?> attribute, Value value) {
        values[attribute.number()] = value;
        return AttributeMask.of(attribute);
    }

    private <T> AttributeMask always(Attribute<T> attribute, T value) {
        return has(attribute, (of, out) -> attribute.encode(value, out));
    }

    /** An object's attributes that the server has, of those that are requested. They are written without a copy. */
    final class Selected implements Attributes.ValueWriter {
        private final AttributeMask mask;
        private final Source source;

        private Selected(AttributeMask mask, Source source) {
            this.mask = mask;
            this.source = source;
        }

        AttributeMask mask() {
            return mask;
        }

        @Override
        public void write(Attribute<?> attribute, XdrWriter out) {
            values[attribute.number()].write(source, out);
        }
    }

    /**
     * The requested attributes that the server has.
     *
     * @throws NfsError {@code INVAL} if a requested attribute can only be set
     */
    Selected read(AttributeMask request, Inode inode, UnixAttributes from) throws IOException {
        requireReadable(request);
        FileSystemSpace space = request.and(SPACE).isEmpty() ? null : tree.space();
        return new Selected(request.and(readable), new Source(inode, from, space));
    }

    /** @throws NfsError {@code INVAL} if a requested attribute can only be set */
    static void requireReadable(AttributeMask request) throws NfsError {
        if (!request.and(WRITE_ONLY).isEmpty()) {
            throw new NfsError(NFS4ERR_INVAL);
        }
    }

    /** Whether {@link #read} needs no name of an owner that has to be looked up. */
    boolean isReady(AttributeMask request, UnixAttributes from) {
        return needsNoName(request)
                || ((!request.contains(OWNER) || owners.knows(false, from.uid()))
                        && (!request.contains(OWNER_GROUP) || owners.knows(true, from.gid())));
    }

    /** Whether the attributes of no object need the name of an owner. */
    boolean needsNoName(AttributeMask request) {
        return owners.isNumeric() || request.and(OWNERS).isEmpty();
    }

    /** Whether {@link #settings} needs no owner that has to be looked up. */
    boolean isReady(Attributes given) {
        return owners.isNumeric()
                || !given.isComplete()
                || (owners.knows(false, given.get(OWNER)) && owners.knows(true, given.get(OWNER_GROUP)));
    }

    private Integer owner(boolean isGroup, String text) throws NfsError {
        return text == null ? null : Integer.valueOf(owners.number(isGroup, text));
    }

    /** Whether an entry of READDIR is written without its attributes being read. */
    static boolean needsNoObject(AttributeMask request) {
        return request.minus(ENTRY_ALONE).isEmpty();
    }

    /** The attributes of a READDIR entry whose attributes cannot be read. */
    static Attributes error(Status status) {
        return Attributes.builder().put(RDATTR_ERROR, status).build();
    }

    private AttributeMask ofServer(int leaseSeconds) {
        return has(SUPPORTED_ATTRS, (of, out) -> supported.encode(out))
                .or(always(SUPPATTR_EXCLCREAT, SETTABLE))
                .or(always(FH_EXPIRE_TYPE, 0))
                .or(always(LINK_SUPPORT, true))
                .or(always(SYMLINK_SUPPORT, true))
                .or(always(NAMED_ATTR, false))
                .or(always(FSID, new FileSystemId(tree.device(), tree.root().number())))
                .or(always(UNIQUE_HANDLES, true))
                .or(always(LEASE_TIME, leaseSeconds))
                .or(always(RDATTR_ERROR, Status.NFS4_OK))
                .or(always(CANSETTIME, true))
                .or(always(CASE_INSENSITIVE, false))
                .or(always(CASE_PRESERVING, true))
                .or(always(CHOWN_RESTRICTED, true))
                .or(always(HOMOGENEOUS, true))
                .or(always(MAXFILESIZE, Long.MAX_VALUE))
                .or(always(MAXNAME, Names.MAX_LENGTH))
                .or(always(MAXREAD, (long) ServerLimits.MAX_IO))
                .or(always(MAXWRITE, (long) ServerLimits.MAX_IO))
                .or(always(NO_TRUNC, true))
                .or(always(TIME_DELTA, ONE_NANOSECOND));
    }

    private AttributeMask ofObject() {
        return has(TYPE, (of, out) -> TYPE.encode(type(of.from), out))
                .or(has(CHANGE, (of, out) -> out.putLong(ExportTree.change(of.inode, of.from))))
                .or(has(SIZE, (of, out) -> out.putLong(of.from.size())))
                .or(has(FILEHANDLE, (of, out) -> FILEHANDLE.encode(FileHandle.of(tree.handle(of.inode)), out)))
                .or(has(FILEID, (of, out) -> out.putLong(of.from.ino())))
                .or(has(MOUNTED_ON_FILEID, (of, out) -> out.putLong(of.from.ino())))
                .or(has(MODE, (of, out) -> out.putInt(of.from.permissions())))
                .or(has(NUMLINKS, (of, out) -> out.putInt(of.from.linkCount())))
                .or(has(OWNER, (of, out) -> out.putString(owners.text(false, of.from.uid()))))
                .or(has(OWNER_GROUP, (of, out) -> out.putString(owners.text(true, of.from.gid()))))
                .or(has(RAWDEV, (of, out) -> RAWDEV.encode(device(of.from.rdev()), out)))
                .or(has(SPACE_USED, (of, out) -> out.putLong(of.from.spaceUsed())));
    }

    private AttributeMask ofTimes() {
        return has(TIME_ACCESS, (of, out) -> TIME_ACCESS.encode(time(of.from.accessed()), out))
                .or(has(TIME_MODIFY, (of, out) -> TIME_MODIFY.encode(time(of.from.modified()), out)))
                .or(has(TIME_METADATA, (of, out) -> TIME_METADATA.encode(time(of.from.changed()), out)))
                .or(has(TIME_CREATE, (of, out) -> TIME_CREATE.encode(time(of.from.created()), out)));
    }

    private AttributeMask ofStore() {
        return has(SPACE_AVAIL, (of, out) -> out.putLong(of.store.available()))
                .or(has(SPACE_FREE, (of, out) -> out.putLong(of.store.free())))
                .or(has(SPACE_TOTAL, (of, out) -> out.putLong(of.store.total())))
                .or(has(FILES_AVAIL, (of, out) -> out.putLong(of.store.availableFiles())))
                .or(has(FILES_FREE, (of, out) -> out.putLong(of.store.freeFiles())))
                .or(has(FILES_TOTAL, (of, out) -> out.putLong(of.store.files())));
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

    /** The number of a device as in {@code dev_t}, the reverse of {@link #device}. */
    static long rdev(DeviceNumbers device) {
        long major = Integer.toUnsignedLong(device.major());
        long minor = Integer.toUnsignedLong(device.minor());
        return (major & 0xfff) << 8 | (major & ~0xfffL) << 32 | (minor & 0xff) | (minor & ~0xffL) << 12;
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
        Selected present = read(expected.mask(), inode, from);
        XdrWriter octets = new XdrWriter();
        Attributes.encode(octets, present.mask(), present);
        return Attributes.decode(new XdrReader(ByteBuffer.wrap(octets.toByteArray())))
                .equals(expected);
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
                owner(false, attributes.get(OWNER)),
                owner(true, attributes.get(OWNER_GROUP)),
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
}
