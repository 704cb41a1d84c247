package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * What stat(2) tells about an object, symbolic links not followed.
 *
 * @param mode type and permission bits
 * @param uid the owner, an unsigned number of 32 bits
 * @param gid the group, likewise
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

    private static final String NAMES =
            "unix:dev,ino,mode,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,creationTime";
    private static final long BLOCK = 4096;

    /** Asks the file system. */
    static UnixAttributes read(Path path) throws IOException {
        Map<String, Object> values = Files.readAttributes(path, NAMES, LinkOption.NOFOLLOW_LINKS);
        return new UnixAttributes(
                (Long) values.get("dev"),
                (Long) values.get("ino"),
                (Integer) values.get("mode"),
                (Integer) values.get("nlink"),
                (Integer) values.get("uid"),
                (Integer) values.get("gid"),
                (Long) values.get("rdev"),
                (Long) values.get("size"),
                (FileTime) values.get("lastAccessTime"),
                (FileTime) values.get("lastModifiedTime"),
                (FileTime) values.get("ctime"),
                (FileTime) values.get("creationTime"));
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

    /** The size in whole blocks of 4096 octets: the JDK does not tell what is really allocated. */
    public long spaceUsed() {
        return isRegular() || isDirectory() ? (size + BLOCK - 1) / BLOCK * BLOCK : 0;
    }

    /** Nanoseconds since 1970 of a time stamp, which fit until 2262. */
    static long nanos(FileTime time) {
        Instant instant = time.toInstant();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
