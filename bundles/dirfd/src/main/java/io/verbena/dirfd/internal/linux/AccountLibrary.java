package io.verbena.dirfd.internal.linux;

/** The functions of the C library that look users and groups up. Public because classes of jnr-ffi implement it. */
public interface AccountLibrary {
    int getpwnam_r(long name, long entry, long buffer, long size, long result);

    int getpwuid_r(int uid, long entry, long buffer, long size, long result);

    int getgrnam_r(long name, long entry, long buffer, long size, long result);

    int getgrgid_r(int gid, long entry, long buffer, long size, long result);

    int getgrouplist(long user, int group, long groups, long count);
}
