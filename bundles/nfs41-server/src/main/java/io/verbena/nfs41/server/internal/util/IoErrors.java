package io.verbena.nfs41.server.internal.util;

import static io.verbena.nfs41.Status.*;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * From java.nio's exceptions and the operating system's error numbers to {@code nfsstat4}. Where java.nio has called
 * the operating system and has no exception of its own, as for reading and writing, only the message tells; in another
 * language than English it is not understood and counts as an I/O error.
 */
public final class IoErrors {
    /** What the JDK adds to the message of ELOOP where it was told not to follow links. */
    private static final String OF_LINK = " or unable to access attributes of symbolic link";

    private static final Map<String, Errno> MESSAGES =
            Stream.of(Errno.values()).collect(Collectors.toMap(errno -> lower(errno.text()), errno -> errno));

    private IoErrors() {}

    /** The status that says the same as an exception. */
    public static Status status(IOException failure) {
        if (failure instanceof NfsError error) {
            return error.status();
        } else if (failure instanceof NoSuchFileException) {
            return NFS4ERR_NOENT;
        } else if (failure instanceof FileAlreadyExistsException) {
            return NFS4ERR_EXIST;
        } else if (failure instanceof AccessDeniedException) {
            return NFS4ERR_ACCESS;
        } else if (failure instanceof DirectoryNotEmptyException) {
            return NFS4ERR_NOTEMPTY;
        } else if (failure instanceof NotDirectoryException) {
            return NFS4ERR_NOTDIR;
        } else if (failure instanceof NotLinkException) {
            return NFS4ERR_INVAL;
        } else if (failure instanceof FileSystemLoopException) {
            return NFS4ERR_SYMLINK;
        } else if (failure instanceof AtomicMoveNotSupportedException) {
            return NFS4ERR_XDEV;
        }
        return byNumber(errno(failure));
    }

    /** Whether a failure says that there is no such object, or no longer. */
    public static boolean isGone(IOException failure) {
        Status status = status(failure);
        return status == NFS4ERR_NOENT || status == NFS4ERR_NOTDIR || status == NFS4ERR_STALE;
    }

    private static Status byNumber(Errno errno) {
        return switch (errno) {
            case EPERM -> NFS4ERR_PERM;
            case ENOENT -> NFS4ERR_NOENT;
            case EACCES, ETXTBSY, EBUSY -> NFS4ERR_ACCESS;
            case EEXIST -> NFS4ERR_EXIST;
            case EXDEV -> NFS4ERR_XDEV;
            case ENOTDIR -> NFS4ERR_NOTDIR;
            case EISDIR -> NFS4ERR_ISDIR;
            case EINVAL, EOVERFLOW -> NFS4ERR_INVAL;
            case ENFILE, EMFILE, ENOMEM -> NFS4ERR_DELAY;
            case EFBIG -> NFS4ERR_FBIG;
            case ENOSPC -> NFS4ERR_NOSPC;
            case EROFS -> NFS4ERR_ROFS;
            case EMLINK -> NFS4ERR_MLINK;
            case ENAMETOOLONG -> NFS4ERR_NAMETOOLONG;
            case ENOTEMPTY -> NFS4ERR_NOTEMPTY;
            case ELOOP -> NFS4ERR_SYMLINK;
            case EOPNOTSUPP, ENOSYS -> NFS4ERR_NOTSUPP;
            case ESTALE -> NFS4ERR_STALE;
            case EDQUOT -> NFS4ERR_DQUOT;
            case EINTR, EIO, ENXIO, EBADF, ENODEV, OTHER -> NFS4ERR_IO;
        };
    }

    /** Whether a failure says that this process, or the host, has no file descriptor left. */
    public static boolean isOutOfDescriptors(IOException failure) {
        Errno errno = errno(failure);
        return errno == Errno.EMFILE || errno == Errno.ENFILE;
    }

    private static Errno errno(IOException failure) {
        return failure instanceof ErrnoException system ? system.errno() : byMessage(failure.getMessage());
    }

    private static Errno byMessage(String message) {
        if (message == null) {
            return Errno.OTHER;
        }
        // "path: reason", "path -> other: reason" or the reason alone, at times with a remark in parentheses
        String reason = message.substring(message.lastIndexOf(": ") < 0 ? 0 : message.lastIndexOf(": ") + 2);
        int remark = reason.indexOf(" (");
        String plain = remark < 0 ? reason : reason.substring(0, remark);
        return MESSAGES.getOrDefault(lower(plain).replace(OF_LINK, ""), Errno.OTHER);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
