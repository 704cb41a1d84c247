package io.verbena.nfs.nio.internal.attribute;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Translates permissions to bits of a mode and back. */
public final class Modes {
    /** The modes of new files and directories, as under the common umask 022. */
    public static final int FILE = 0644;

    public static final int DIRECTORY = 0755;

    private static final int ALL = 0777;
    private static final PosixFilePermission[] FROM_THE_HIGHEST_BIT = {
        PosixFilePermission.OWNER_READ,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_EXECUTE
    };

    private Modes() {}

    static int of(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : FROM_THE_HIGHEST_BIT) {
            mode = mode << 1 | (permissions.contains(permission) ? 1 : 0);
        }
        return mode;
    }

    static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        int bit = (ALL + 1) >> 1;
        for (PosixFilePermission permission : FROM_THE_HIGHEST_BIT) {
            if ((mode & bit) != 0) {
                permissions.add(permission);
            }
            bit >>= 1;
        }
        return permissions;
    }

    /** The mode of a new object. Permissions are the only attribute that a caller can give. */
    public static int of(int usual, FileAttribute<?>... attributes) {
        int mode = usual;
        for (FileAttribute<?> attribute : attributes) {
            if (!attribute.name().equals("posix:permissions")) {
                // as Files.createFile specifies for attributes that cannot be set atomically
                throw new UnsupportedOperationException("'" + attribute.name() + "' cannot be set when a file is made");
            }
            mode = of(permissions(attribute.value()));
        }
        return mode;
    }

    /** The permissions in a set of unknown element type. */
    static Set<PosixFilePermission> permissions(Object value) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (Object each : (Set<?>) value) {
            permissions.add((PosixFilePermission) Objects.requireNonNull(each));
        }
        return permissions;
    }
}
