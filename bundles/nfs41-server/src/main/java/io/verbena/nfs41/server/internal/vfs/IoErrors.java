package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.*;

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

/**
 * From java.nio's exceptions to {@code nfsstat4}. Where the JDK has no exception of its own, only the operating
 * system's message tells; in another language than English it is not understood and counts as an I/O error.
 */
public final class IoErrors {
    private static final Map<String, Status> MESSAGES = Map.ofEntries(
            Map.entry("no space left on device", NFS4ERR_NOSPC),
            Map.entry("disk quota exceeded", NFS4ERR_DQUOT),
            Map.entry("file too large", NFS4ERR_FBIG),
            Map.entry("is a directory", NFS4ERR_ISDIR),
            Map.entry("not a directory", NFS4ERR_NOTDIR),
            Map.entry("directory not empty", NFS4ERR_NOTEMPTY),
            Map.entry("invalid cross-device link", NFS4ERR_XDEV),
            Map.entry("file name too long", NFS4ERR_NAMETOOLONG),
            Map.entry("read-only file system", NFS4ERR_ROFS),
            Map.entry("too many levels of symbolic links", NFS4ERR_SYMLINK),
            Map.entry("operation not permitted", NFS4ERR_PERM),
            Map.entry("permission denied", NFS4ERR_ACCESS),
            Map.entry("too many links", NFS4ERR_MLINK),
            Map.entry("stale file handle", NFS4ERR_STALE),
            Map.entry("no such file or directory", NFS4ERR_NOENT),
            Map.entry("file exists", NFS4ERR_EXIST),
            Map.entry("invalid argument", NFS4ERR_INVAL),
            Map.entry("operation not supported", NFS4ERR_NOTSUPP),
            Map.entry("text file busy", NFS4ERR_ACCESS),
            Map.entry("device or resource busy", NFS4ERR_ACCESS),
            Map.entry("too many open files", NFS4ERR_DELAY));

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
        return byMessage(failure.getMessage());
    }

    private static Status byMessage(String message) {
        if (message == null) {
            return NFS4ERR_IO;
        }
        // "path: reason", "path -> other: reason" or the reason alone, at times with a remark in parentheses
        String reason = message.substring(message.lastIndexOf(": ") < 0 ? 0 : message.lastIndexOf(": ") + 2);
        int remark = reason.indexOf(" (");
        String plain = remark < 0 ? reason : reason.substring(0, remark);
        return MESSAGES.getOrDefault(plain.toLowerCase(Locale.ROOT), NFS4ERR_IO);
    }
}
