package io.verbena.nfs.nio.internal;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Permissions as bits of a mode, and back. */
final class Modes {
    /** Of a new file and a new directory, as with the usual umask of 022. */
    static final int FILE = 0644;

    static final int DIRECTORY = 0755;

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
}
