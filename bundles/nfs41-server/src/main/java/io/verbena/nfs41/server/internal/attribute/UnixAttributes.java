package io.verbena.nfs41.server.internal.attribute;

import io.verbena.dirfd.FileStatus;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * What stat(2) tells about an object, symbolic links not followed.
 *
 * @param mode type and permission bits
 * @param uid the owner, an unsigned number of 32 bits
 * @param gid the group, likewise
 * @param allocated the octets that the object occupies in the file system
 * @param created the moment of creation where the file system keeps one, else the same as {@code modified}
 */
public record UnixAttributes(
        long device,
        long ino,
        int mode,
        int linkCount,
        int uid,
        int gid,
        long rdev,
        long size,
        long allocated,
        FileTime accessed,
        FileTime modified,
        FileTime changed,
        FileTime created) {
    public static final int TYPE_MASK = 0xf000;
    public static final int REGULAR = 0x8000;
    public static final int DIRECTORY = 0x4000;
    public static final int SYMBOLIC_LINK = 0xa000;
    public static final int BLOCK_DEVICE = 0x6000;
    public static final int CHARACTER_DEVICE = 0x2000;
    public static final int FIFO = 0x1000;
    public static final int SOCKET = 0xc000;

    /** The permission bits with set-user-id, set-group-id and sticky. */
    public static final int MODE_MASK = 0xfff;

    /** As the file system has told. */
    public static UnixAttributes of(FileStatus status) {
        return new UnixAttributes(
                status.device(),
                status.ino(),
                status.mode(),
                status.linkCount(),
                status.uid(),
                status.gid(),
                status.rdev(),
                status.size(),
                status.allocated(),
                status.accessed(),
                status.modified(),
                status.changed(),
                created(status));
    }

    /** The time of creation, or that of modification where the file system keeps none. */
    public static FileTime created(FileStatus status) {
        return status.created() == null ? status.modified() : status.created();
    }

    public int type() {
        return mode & TYPE_MASK;
    }

    public boolean isRegular() {
        return type() == REGULAR;
    }

    public boolean isDirectory() {
        return type() == DIRECTORY;
    }

    public boolean isSymbolicLink() {
        return type() == SYMBOLIC_LINK;
    }

    /** The permission bits with set-user-id, set-group-id and sticky. */
    public int permissions() {
        return mode & MODE_MASK;
    }

    /** The octets that the object occupies in the file system. */
    public long spaceUsed() {
        return allocated;
    }

    /** Nanoseconds since 1970 of a time stamp, which fit until 2262. */
    public static long nanos(FileTime time) {
        Instant instant = time.toInstant();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
