package io.verbena.dirfd.internal.nio;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.internal.LocalPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Attributes as java.nio reads and sets them. */
final class NioStatus {
    private static final String NAMES =
            "unix:dev,ino,mode,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,creationTime";
    private static final int TYPE_MASK = 0xf000;
    private static final int MODE_BITS = 07777;
    private static final int SPECIAL_BITS = 07000;
    private static final long BLOCK = 4096;

    /** The permissions in the order of their bits, the lowest first. */
    private static final PosixFilePermission[] BY_BIT = {
        PosixFilePermission.OTHERS_EXECUTE,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_READ
    };

    private NioStatus() {}

    /** Returns the path of an object after a check. */
    @FunctionalInterface
    interface PathProof {
        Path path() throws IOException;
    }

    static FileStatus read(Path path, boolean hasCreationTimes) throws IOException {
        Map<String, Object> values = Files.readAttributes(path, NAMES, LinkOption.NOFOLLOW_LINKS);
        long size = (Long) values.get("size");
        return new FileStatus(
                (Long) values.get("dev"),
                (Long) values.get("ino"),
                (Integer) values.get("mode"),
                (Integer) values.get("nlink"),
                (Integer) values.get("uid"),
                (Integer) values.get("gid"),
                (Long) values.get("rdev"),
                size,
                (size + BLOCK - 1) / BLOCK * BLOCK, // java.nio does not tell the allocated octets
                (FileTime) values.get("lastAccessTime"),
                (FileTime) values.get("lastModifiedTime"),
                (FileTime) values.get("ctime"),
                hasCreationTimes ? (FileTime) values.get("creationTime") : null);
    }

    /** Whether a file key of java.nio, such as {@code (dev=fe00,ino=4711)}, is that of the object. */
    static boolean isSame(Object fileKey, FileStatus status) {
        String expected = "(dev=" + Long.toHexString(status.device()) + ",ino=" + status.ino() + ')';
        return fileKey != null && fileKey.toString().equals(expected);
    }

    static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BY_BIT.length; bit++) {
            if ((mode & 1 << bit) != 0) {
                permissions.add(BY_BIT[bit]);
            }
        }
        return permissions;
    }

    static void setMode(PosixFileAttributeView view, int current, PathProof proof, int mode) throws IOException {
        int wanted = mode & MODE_BITS;
        if (((wanted | current) & SPECIAL_BITS) != 0) {
            Path path = proof.path();
            Files.setAttribute(path, "unix:mode", (current & TYPE_MASK) | wanted, LinkOption.NOFOLLOW_LINKS);
        } else {
            view.setPermissions(permissions(wanted));
        }
    }

    static void setOwner(PosixFileAttributeView view, Path path, Integer uid, Integer gid) throws IOException {
        UserPrincipalLookupService principals = path.getFileSystem().getUserPrincipalLookupService();
        try {
            if (uid != null) {
                view.setOwner(principals.lookupPrincipalByName(Integer.toUnsignedString(uid)));
            }
            if (gid != null) {
                view.setGroup(principals.lookupPrincipalByGroupName(Integer.toUnsignedString(gid)));
            }
        } catch (UserPrincipalNotFoundException e) {
            // larger than the 31 bits that java.nio accepts
            throw (IOException) new ErrnoException(path.toString(), Errno.EINVAL.number()).initCause(e);
        }
    }

    /**
     * A time that the JDK sets correctly: it sets 1970 instead of an earlier time with a fraction of a second, so the
     * fraction is dropped.
     */
    static FileTime settable(FileTime time) {
        if (time == null) {
            return null;
        }
        Instant instant = time.toInstant();
        return instant.isBefore(Instant.EPOCH) ? FileTime.from(instant.truncatedTo(ChronoUnit.SECONDS)) : time;
    }

    /**
     * The target of a link as a path. java.nio drops double and trailing slashes, so the path may differ from the
     * target.
     */
    static Path linkText(byte[] text) {
        return LocalPaths.linkText(text);
    }

    /** The names of the extended attributes of users. */
    static List<String> userAttributes(Path path) throws IOException {
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(path, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (view == null || Files.isSymbolicLink(path)) {
            return List.of();
        }
        return view.list().stream().map("user."::concat).toList();
    }
}
