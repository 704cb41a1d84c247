package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A file attribute: its number, its name and how its value is written (RFC 8881 section 5).
 *
 * @param <T> the type of its values
 */
public final class Attribute<T> {
    private static final int MAX_LIST = 1024;
    private static final Attribute<?>[] BY_NUMBER = new Attribute<?>[AttributeMask.LIMIT];

    public static final Attribute<AttributeMask> SUPPORTED_ATTRS =
            new Attribute<>(0, "supported_attrs", AttributeMask::encode, AttributeMask::decode);
    public static final Attribute<ObjectType> TYPE = new Attribute<>(1, "type", ObjectType::encode, ObjectType::decode);
    public static final Attribute<Integer> FH_EXPIRE_TYPE = uint32(2, "fh_expire_type");
    public static final Attribute<Long> CHANGE = uint64(3, "change");
    public static final Attribute<Long> SIZE = uint64(4, "size");
    public static final Attribute<Boolean> LINK_SUPPORT = bool(5, "link_support");
    public static final Attribute<Boolean> SYMLINK_SUPPORT = bool(6, "symlink_support");
    public static final Attribute<Boolean> NAMED_ATTR = bool(7, "named_attr");
    public static final Attribute<FileSystemId> FSID =
            new Attribute<>(8, "fsid", FileSystemId::encode, FileSystemId::decode);
    public static final Attribute<Boolean> UNIQUE_HANDLES = bool(9, "unique_handles");
    public static final Attribute<Integer> LEASE_TIME = uint32(10, "lease_time");
    public static final Attribute<Status> RDATTR_ERROR =
            new Attribute<>(11, "rdattr_error", Status::encode, Status::decode);
    public static final Attribute<List<AccessControlEntry>> ACL = new Attribute<>(
            12,
            "acl",
            (value, out) -> encodeList(value, out, AccessControlEntry::encode),
            in -> decodeList(in, 16, AccessControlEntry::decode));
    public static final Attribute<Integer> ACLSUPPORT = uint32(13, "aclsupport");
    public static final Attribute<Boolean> ARCHIVE = bool(14, "archive");
    public static final Attribute<Boolean> CANSETTIME = bool(15, "cansettime");
    public static final Attribute<Boolean> CASE_INSENSITIVE = bool(16, "case_insensitive");
    public static final Attribute<Boolean> CASE_PRESERVING = bool(17, "case_preserving");
    public static final Attribute<Boolean> CHOWN_RESTRICTED = bool(18, "chown_restricted");
    public static final Attribute<FileHandle> FILEHANDLE =
            new Attribute<>(19, "filehandle", FileHandle::encode, FileHandle::decode);
    public static final Attribute<Long> FILEID = uint64(20, "fileid");
    public static final Attribute<Long> FILES_AVAIL = uint64(21, "files_avail");
    public static final Attribute<Long> FILES_FREE = uint64(22, "files_free");
    public static final Attribute<Long> FILES_TOTAL = uint64(23, "files_total");
    public static final Attribute<FsLocations> FS_LOCATIONS =
            new Attribute<>(24, "fs_locations", FsLocations::encode, FsLocations::decode);
    public static final Attribute<Boolean> HIDDEN = bool(25, "hidden");
    public static final Attribute<Boolean> HOMOGENEOUS = bool(26, "homogeneous");
    public static final Attribute<Long> MAXFILESIZE = uint64(27, "maxfilesize");
    public static final Attribute<Integer> MAXLINK = uint32(28, "maxlink");
    public static final Attribute<Integer> MAXNAME = uint32(29, "maxname");
    public static final Attribute<Long> MAXREAD = uint64(30, "maxread");
    public static final Attribute<Long> MAXWRITE = uint64(31, "maxwrite");
    public static final Attribute<String> MIMETYPE = string(32, "mimetype");
    public static final Attribute<Integer> MODE = uint32(33, "mode");
    public static final Attribute<Boolean> NO_TRUNC = bool(34, "no_trunc");
    public static final Attribute<Integer> NUMLINKS = uint32(35, "numlinks");
    public static final Attribute<String> OWNER = string(36, "owner");
    public static final Attribute<String> OWNER_GROUP = string(37, "owner_group");
    public static final Attribute<Long> QUOTA_AVAIL_HARD = uint64(38, "quota_avail_hard");
    public static final Attribute<Long> QUOTA_AVAIL_SOFT = uint64(39, "quota_avail_soft");
    public static final Attribute<Long> QUOTA_USED = uint64(40, "quota_used");
    public static final Attribute<DeviceNumbers> RAWDEV =
            new Attribute<>(41, "rawdev", DeviceNumbers::encode, DeviceNumbers::decode);
    public static final Attribute<Long> SPACE_AVAIL = uint64(42, "space_avail");
    public static final Attribute<Long> SPACE_FREE = uint64(43, "space_free");
    public static final Attribute<Long> SPACE_TOTAL = uint64(44, "space_total");
    public static final Attribute<Long> SPACE_USED = uint64(45, "space_used");
    public static final Attribute<Boolean> SYSTEM = bool(46, "system");
    public static final Attribute<NfsTime> TIME_ACCESS = time(47, "time_access");
    public static final Attribute<SetTime> TIME_ACCESS_SET =
            new Attribute<>(48, "time_access_set", SetTime::encode, SetTime::decode);
    public static final Attribute<NfsTime> TIME_BACKUP = time(49, "time_backup");
    public static final Attribute<NfsTime> TIME_CREATE = time(50, "time_create");
    public static final Attribute<NfsTime> TIME_DELTA = time(51, "time_delta");
    public static final Attribute<NfsTime> TIME_METADATA = time(52, "time_metadata");
    public static final Attribute<NfsTime> TIME_MODIFY = time(53, "time_modify");
    public static final Attribute<SetTime> TIME_MODIFY_SET =
            new Attribute<>(54, "time_modify_set", SetTime::encode, SetTime::decode);
    public static final Attribute<Long> MOUNTED_ON_FILEID = uint64(55, "mounted_on_fileid");
    public static final Attribute<List<Integer>> FS_LAYOUT_TYPE = new Attribute<>(
            62,
            "fs_layout_type",
            (value, out) -> encodeList(value, out, (each, to) -> to.putInt(each)),
            in -> decodeList(in, 4, XdrReader::getInt));
    public static final Attribute<ModeMasked> MODE_SET_MASKED =
            new Attribute<>(74, "mode_set_masked", ModeMasked::encode, ModeMasked::decode);
    public static final Attribute<AttributeMask> SUPPATTR_EXCLCREAT =
            new Attribute<>(75, "suppattr_exclcreat", AttributeMask::encode, AttributeMask::decode);
    public static final Attribute<Integer> FS_CHARSET_CAP = uint32(76, "fs_charset_cap");

    /** The attributes that every server has (RFC 8881 section 5.6). */
    public static final AttributeMask REQUIRED = AttributeMask.of(
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
            FILEHANDLE,
            SUPPATTR_EXCLCREAT);

    /**
     * {@code mode_masked4} (RFC 8881 section 6.2.5).
     *
     * @param mode the bits' values
     * @param mask the bits to set
     */
    public record ModeMasked(int mode, int mask) {
        void encode(XdrWriter out) {
            out.putInt(mode).putInt(mask);
        }

        static ModeMasked decode(XdrReader in) throws XdrException {
            return new ModeMasked(in.getInt(), in.getInt());
        }
    }

    @FunctionalInterface
    private interface Encoder<T> {
        void encode(T value, XdrWriter out);
    }

    @FunctionalInterface
    private interface Decoder<T> {
        T decode(XdrReader in) throws XdrException;
    }

    private final int number;
    private final String name;
    private final Encoder<T> encoder;
    private final Decoder<T> decoder;

    private Attribute(int number, String name, Encoder<T> encoder, Decoder<T> decoder) {
        this.number = number;
        this.name = name;
        this.encoder = encoder;
        this.decoder = decoder;
        BY_NUMBER[number] = this;
    }

    private static Attribute<Integer> uint32(int number, String name) {
        return new Attribute<>(number, name, (value, out) -> out.putInt(value), XdrReader::getInt);
    }

    private static Attribute<Long> uint64(int number, String name) {
        return new Attribute<>(number, name, (value, out) -> out.putLong(value), XdrReader::getLong);
    }

    private static Attribute<Boolean> bool(int number, String name) {
        return new Attribute<>(number, name, (value, out) -> out.putBoolean(value), XdrReader::getBoolean);
    }

    private static Attribute<String> string(int number, String name) {
        return new Attribute<>(number, name, (value, out) -> out.putString(value), in -> in.getString(Codec.MAX_NAME));
    }

    private static Attribute<NfsTime> time(int number, String name) {
        return new Attribute<>(number, name, NfsTime::encode, NfsTime::decode);
    }

    private static <E> void encodeList(List<E> values, XdrWriter out, Encoder<E> encoder) {
        out.putInt(values.size());
        values.forEach(value -> encoder.encode(value, out));
    }

    private static <E> List<E> decodeList(XdrReader in, int elementBytes, Decoder<E> decoder) throws XdrException {
        int count = in.getCount(MAX_LIST, elementBytes);
        List<E> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(decoder.decode(in));
        }
        return List.copyOf(values);
    }

    /** The attribute of that number, or null where this class has no codec of it. */
    static Attribute<?> of(int number) {
        return BY_NUMBER[number];
    }

    public int number() {
        return number;
    }

    /** The name in RFC 8881 section 5. */
    public String name() {
        return name;
    }

    /** Writes a value, as in {@code attrlist4}. */
    public void encode(T value, XdrWriter out) {
        encoder.encode(value, out);
    }

    @SuppressWarnings("unchecked") // Attributes.Builder lets no value in under an attribute of another type
    void encodeValue(Object value, XdrWriter out) {
        encoder.encode((T) value, out);
    }

    T decodeValue(XdrReader in) throws XdrException {
        return decoder.decode(in);
    }

    @Override
    public String toString() {
        return name;
    }
}
