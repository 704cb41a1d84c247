package io.verbena.fuse.internal.kernel;

/**
 * Numbers of linux/fuse.h and fcntl.h. Those of fcntl.h are those of x86-64 and aarch64, except where a comment says.
 */
public final class Protocol {
    public static final int MAJOR = 7;
    /** The minor version whose structures are used; the kernel speaks the lesser of both sides' versions. */
    public static final int MINOR = 31;

    public static final int IN_HEADER = 40;
    public static final int OUT_HEADER = 16;
    public static final int WRITE_IN = 40;
    public static final int ENTRY_OUT = 128;
    public static final int DIRENT = 24;
    /** The smallest minor version that is spoken: that of the 64 octets of fuse_init_out. */
    public static final int LEAST_MINOR = 23;

    public static final long ROOT_NODE = 1;

    // INIT
    public static final int ASYNC_READ = 1;
    public static final int POSIX_LOCKS = 1 << 1;
    public static final int ATOMIC_O_TRUNC = 1 << 3;
    public static final int BIG_WRITES = 1 << 5;
    public static final int FLOCK_LOCKS = 1 << 10;
    public static final int AUTO_INVAL_DATA = 1 << 12;
    public static final int DO_READDIRPLUS = 1 << 13;
    public static final int READDIRPLUS_AUTO = 1 << 14;
    public static final int ASYNC_DIO = 1 << 15;
    public static final int PARALLEL_DIROPS = 1 << 18;
    public static final int MAX_PAGES = 1 << 22;
    /** There are further flags behind: {@code flags2}. */
    public static final int INIT_EXT = 1 << 30;

    // INIT, flags2
    /** A file may be mapped that is open with {@link #FOPEN_DIRECT_IO}; Linux 6.6 is the first to have it. */
    public static final int DIRECT_IO_ALLOW_MMAP = 1 << 4;

    // OPEN
    public static final int FOPEN_DIRECT_IO = 1;
    public static final int FOPEN_KEEP_CACHE = 1 << 1;
    public static final int FOPEN_PARALLEL_DIRECT_WRITES = 1 << 6;

    // SETATTR
    public static final int FATTR_MODE = 1;
    public static final int FATTR_UID = 1 << 1;
    public static final int FATTR_GID = 1 << 2;
    public static final int FATTR_SIZE = 1 << 3;
    public static final int FATTR_ATIME = 1 << 4;
    public static final int FATTR_MTIME = 1 << 5;
    public static final int FATTR_FH = 1 << 6;
    public static final int FATTR_ATIME_NOW = 1 << 7;
    public static final int FATTR_MTIME_NOW = 1 << 8;

    /** Of WRITE: the kernel writes back a page that a program has mapped. */
    public static final int WRITE_CACHE = 1;
    /** Of WRITE: set-id bits of the file go, as the program has no right to keep them. */
    public static final int WRITE_KILL_SUIDGID = 1 << 2;
    /** Of RELEASE: the locks of flock(2) go, too. */
    /** Of SETLK: the lock is one of flock(2). */
    public static final int LK_FLOCK = 1;

    /** A notification: pages and attributes of a node are to be dropped. */
    public static final int NOTIFY_INVAL_INODE = 2;

    public static final int O_ACCMODE = 3;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_EXCL = 0200;
    public static final int O_TRUNC = 01000;
    public static final int O_APPEND = 02000;
    public static final int O_DSYNC = 010000;
    public static final int O_SYNC = 04000000;
    /** {@code O_DIRECT} of x86-64 and of aarch64, whose other meanings there are flags of directories. */
    public static final int O_DIRECT = 040000 | 0200000;

    public static final int F_RDLCK = 0;
    public static final int F_WRLCK = 1;
    public static final int F_UNLCK = 2;

    public static final int S_IFMT = 0170000;
    public static final int S_IFIFO = 0010000;
    public static final int S_IFCHR = 0020000;
    public static final int S_IFDIR = 0040000;
    public static final int S_IFBLK = 0060000;
    public static final int S_IFREG = 0100000;
    public static final int S_IFLNK = 0120000;
    public static final int S_IFSOCK = 0140000;
    public static final int S_ISUID = 04000;
    public static final int S_ISGID = 02000;
    public static final int S_IXGRP = 0010;

    private Protocol() {}
}
