package io.verbena.dirfd.internal.linux;

/**
 * The functions of the C library that are called; pointers are longs. Public for jnr-ffi, whose classes implement it.
 */
public interface CLibrary {
    int openat(int directory, long path, int flags, int mode);

    int close(int fd);

    int statx(int directory, long path, int flags, int mask, long buffer);

    int mkdirat(int directory, long path, int mode);

    int symlinkat(long target, int directory, long path);

    int linkat(int oldDirectory, long oldPath, int newDirectory, long newPath, int flags);

    int unlinkat(int directory, long path, int flags);

    int renameat(int oldDirectory, long oldPath, int newDirectory, long newPath);

    long readlinkat(int directory, long path, long buffer, long size);

    int fchmodat(int directory, long path, int mode, int flags);

    int fchownat(int directory, long path, int owner, int group, int flags);

    int utimensat(int directory, long path, long times, int flags);

    int fsync(int fd);

    int syncfs(int fd);

    int fstatvfs(int fd, long buffer);

    /** Calls getdents64, for which older libraries have no function. */
    long syscall(long number, long first, long second, long third);

    /** Calls mknodat, which older libraries have by another name only. */
    long syscall(long number, long first, long second, long third, long fourth);
}
