package io.verbena.fuse.internal.kernel;

import jnr.ffi.annotations.In;

/**
 * The functions of the C library that are called; pointers are longs. Public for jnr-ffi, whose classes implement it.
 */
public interface KernelLibrary {
    int open(@In byte[] path, int flags);

    int close(int fd);

    long read(int fd, long buffer, long size);

    long write(int fd, @In byte[] buffer, long size);

    long write(int fd, long buffer, long size);

    int mount(@In byte[] source, @In byte[] target, @In byte[] type, long flags, @In byte[] data);

    int umount2(@In byte[] target, int flags);

    int getuid();

    int getgid();

    int geteuid();

    int getegid();
}
