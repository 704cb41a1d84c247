package io.verbena.dirfd.internal.linux;

import java.nio.ByteOrder;

/**
 * Linux's constants. Constants that differ between architectures are fields.
 *
 * @param oDirectory {@code O_DIRECTORY}
 * @param oNoFollow {@code O_NOFOLLOW}
 * @param sysGetdents64 the number of the system call getdents64
 * @param sysMknodat the number of the system call mknodat
 * @param muslLibrary the file name of musl's C library
 */
record Abi(int oDirectory, int oNoFollow, int sysGetdents64, int sysMknodat, String muslLibrary) {
    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    static final int O_CLOEXEC = 02000000;
    static final int O_PATH = 010000000;

    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    static final int AT_SYMLINK_FOLLOW = 0x400;
    static final int AT_NO_AUTOMOUNT = 0x800;
    static final int AT_EMPTY_PATH = 0x1000;

    static final int STATX_BASIC_STATS = 0x7ff;
    static final int STATX_BTIME = 0x800;
    static final long UTIME_OMIT = 0x3ffffffe;

    private static final Abi X86_64 = new Abi(0200000, 0400000, 217, 259, "libc.musl-x86_64.so.1");
    private static final Abi AARCH64 = new Abi(040000, 0100000, 61, 33, "libc.musl-aarch64.so.1");

    /** The constants of this process's platform, or null where they are not known. */
    static Abi ofThisPlatform() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"), ByteOrder.nativeOrder());
    }

    static Abi of(String system, String architecture, ByteOrder order) {
        if (!system.equals("Linux") || order != ByteOrder.LITTLE_ENDIAN) {
            return null;
        }
        return switch (architecture) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default -> null;
        };
    }
}
