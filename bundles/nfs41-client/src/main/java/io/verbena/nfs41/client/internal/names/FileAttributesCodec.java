package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.DeviceNumbers;
import io.verbena.nfs41.FileSystemId;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.SetTime;
import java.time.Instant;

/** Converts attributes between the API and the protocol. */
public final class FileAttributesCodec {
    /** The attributes that {@link #decode} uses. */
    public static final AttributeMask WANTED = AttributeMask.of(
            Attribute.TYPE,
            Attribute.CHANGE,
            Attribute.SIZE,
            Attribute.FSID,
            Attribute.FILEID,
            Attribute.MODE,
            Attribute.NUMLINKS,
            Attribute.OWNER,
            Attribute.OWNER_GROUP,
            Attribute.RAWDEV,
            Attribute.SPACE_USED,
            Attribute.TIME_ACCESS,
            Attribute.TIME_METADATA,
            Attribute.TIME_MODIFY);

    private static final int MODE_BITS = 07777;
    private static final NfsTime EPOCH = new NfsTime(0, 0);
    private static final FileSystemId NO_FSID = new FileSystemId(0, 0);
    private static final DeviceNumbers NO_DEVICE = new DeviceNumbers(0, 0);

    private FileAttributesCodec() {}

    public static FileAttributes decode(Attributes from) {
        FileSystemId fsid = from.get(Attribute.FSID, NO_FSID);
        long size = from.get(Attribute.SIZE, 0L);
        FileType type = type(from.get(Attribute.TYPE));
        boolean isDevice = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
        // the value means nothing for other objects (RFC 8881 section 5.8.2, rawdev)
        DeviceNumbers device = isDevice ? from.get(Attribute.RAWDEV, NO_DEVICE) : NO_DEVICE;
        return new FileAttributes(
                type,
                size,
                from.get(Attribute.SPACE_USED, size),
                from.get(Attribute.MODE, 0) & MODE_BITS,
                from.get(Attribute.NUMLINKS, 1),
                from.get(Attribute.OWNER, ""),
                from.get(Attribute.OWNER_GROUP, ""),
                from.get(Attribute.TIME_MODIFY, EPOCH).toInstant(),
                from.get(Attribute.TIME_ACCESS, EPOCH).toInstant(),
                from.get(Attribute.TIME_METADATA, EPOCH).toInstant(),
                fsid.major(),
                fsid.minor(),
                from.get(Attribute.FILEID, 0L),
                from.get(Attribute.CHANGE, 0L),
                device.major(),
                device.minor());
    }

    private static FileType type(ObjectType type) {
        if (type == null) {
            return FileType.OTHER;
        }
        return switch (type) {
            case NF4REG -> FileType.REGULAR;
            case NF4DIR -> FileType.DIRECTORY;
            case NF4LNK -> FileType.SYMBOLIC_LINK;
            case NF4BLK -> FileType.BLOCK_DEVICE;
            case NF4CHR -> FileType.CHARACTER_DEVICE;
            case NF4SOCK -> FileType.SOCKET;
            case NF4FIFO -> FileType.FIFO;
            case NF4ATTRDIR, NF4NAMEDATTR -> FileType.OTHER;
        };
    }

    public static Attributes encode(AttributeChanges changes) {
        Attributes.Builder to = Attributes.builder();
        put(to, Attribute.SIZE, changes.size());
        put(to, Attribute.MODE, changes.mode() == null ? null : changes.mode() & MODE_BITS);
        put(to, Attribute.OWNER, changes.owner());
        put(to, Attribute.OWNER_GROUP, changes.group());
        put(to, Attribute.TIME_ACCESS_SET, setTime(changes.accessed()));
        put(to, Attribute.TIME_MODIFY_SET, setTime(changes.modified()));
        return to.build();
    }

    private static SetTime setTime(Instant instant) {
        return instant == null ? null : new SetTime(NfsTime.of(instant));
    }

    private static <T> void put(Attributes.Builder to, Attribute<T> attribute, T value) {
        if (value != null) {
            to.put(attribute, value);
        }
    }

    public static Attributes mode(int mode) {
        return Attributes.builder().put(Attribute.MODE, mode & MODE_BITS).build();
    }
}
