package io.verbena.dirfd;

/** The error numbers that file systems return on Linux; they are the same on all supported architectures. */
public enum Errno {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    EINTR(4, "Interrupted system call"),
    EIO(5, "Input/output error"),
    ENXIO(6, "No such device or address"),
    EBADF(9, "Bad file descriptor"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EBUSY(16, "Device or resource busy"),
    EEXIST(17, "File exists"),
    EXDEV(18, "Invalid cross-device link"),
    ENODEV(19, "No such device"),
    ENOTDIR(20, "Not a directory"),
    EISDIR(21, "Is a directory"),
    EINVAL(22, "Invalid argument"),
    ENFILE(23, "Too many open files in system"),
    EMFILE(24, "Too many open files"),
    ETXTBSY(26, "Text file busy"),
    EFBIG(27, "File too large"),
    ENOSPC(28, "No space left on device"),
    EROFS(30, "Read-only file system"),
    EMLINK(31, "Too many links"),
    ENAMETOOLONG(36, "File name too long"),
    ENOSYS(38, "Function not implemented"),
    ENOTEMPTY(39, "Directory not empty"),
    ELOOP(40, "Too many levels of symbolic links"),
    EOVERFLOW(75, "Value too large for defined data type"),
    EOPNOTSUPP(95, "Operation not supported"),
    ESTALE(116, "Stale file handle"),
    EDQUOT(122, "Disk quota exceeded"),
    /** Any other error number. */
    OTHER(-1, "Unknown error");

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The constant of an error number, or {@link #OTHER}. */
    public static Errno of(int number) {
        for (Errno each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return OTHER;
    }

    /** The operating system's number, or -1 for {@link #OTHER}. */
    public int number() {
        return number;
    }

    /** The meaning in English. */
    public String text() {
        return text;
    }
}
