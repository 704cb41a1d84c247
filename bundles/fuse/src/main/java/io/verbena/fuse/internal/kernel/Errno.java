package io.verbena.fuse.internal.kernel;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
import java.io.InterruptedIOException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The error numbers of Linux, and the one table that says which of them programs get for a failure of the mount. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ETXTBSY = 26;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int EMLINK = 31;
    public static final int EDEADLK = 35;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOLCK = 37;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int EOPNOTSUPP = 95;
    public static final int ESTALE = 116;
    public static final int EDQUOT = 122;

    /** As nfs_stat_to_errno of Linux's client. */
    private static final Map<String, Integer> OF_STATUS = Map.ofEntries(
            Map.entry("NFS4ERR_PERM", EPERM),
            Map.entry("NFS4ERR_NOENT", ENOENT),
            Map.entry("NFS4ERR_NXIO", ENXIO),
            Map.entry("NFS4ERR_ACCESS", EACCES),
            Map.entry("NFS4ERR_EXIST", EEXIST),
            Map.entry("NFS4ERR_XDEV", EXDEV),
            Map.entry("NFS4ERR_NOTDIR", ENOTDIR),
            Map.entry("NFS4ERR_ISDIR", EISDIR),
            Map.entry("NFS4ERR_INVAL", EINVAL),
            Map.entry("NFS4ERR_FBIG", EFBIG),
            Map.entry("NFS4ERR_NOSPC", ENOSPC),
            Map.entry("NFS4ERR_ROFS", EROFS),
            Map.entry("NFS4ERR_MLINK", EMLINK),
            Map.entry("NFS4ERR_NAMETOOLONG", ENAMETOOLONG),
            Map.entry("NFS4ERR_NOTEMPTY", ENOTEMPTY),
            Map.entry("NFS4ERR_DQUOT", EDQUOT),
            Map.entry("NFS4ERR_STALE", ESTALE),
            Map.entry("NFS4ERR_BADHANDLE", ESTALE),
            Map.entry("NFS4ERR_FHEXPIRED", ESTALE),
            Map.entry("NFS4ERR_NOTSUPP", EOPNOTSUPP),
            Map.entry("NFS4ERR_ATTRNOTSUPP", EOPNOTSUPP),
            Map.entry("NFS4ERR_SHARE_DENIED", EACCES),
            Map.entry("NFS4ERR_LOCKED", EAGAIN),
            Map.entry("NFS4ERR_DENIED", EAGAIN),
            Map.entry("NFS4ERR_DEADLOCK", EDEADLK),
            Map.entry("NFS4ERR_OPENMODE", EBADF),
            // the kernel follows links: it knows another object there, and has to look the name up again
            Map.entry("NFS4ERR_SYMLINK", ESTALE),
            Map.entry("NFS4ERR_NOT_SAME", ESTALE),
            Map.entry("NFS4ERR_BADOWNER", EINVAL),
            Map.entry("NFS4ERR_BADNAME", EINVAL),
            Map.entry("NFS4ERR_BADTYPE", EPERM),
            Map.entry("NFS4ERR_BADCHAR", EINVAL),
            Map.entry("NFS4ERR_WRONGSEC", EPERM),
            Map.entry("NFS4ERR_WRONG_TYPE", EINVAL),
            Map.entry("NFS4ERR_FILE_OPEN", EBUSY));

    private Errno() {}

    /** The failure of a request whose answer is this error number. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int number;

        public Failure(int number) {
            super("error " + number, null, false, false);
            this.number = number;
        }
    }

    /** The error number for a failure; {@link #EIO} where no other fits. */
    public static int of(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            int number = ofOne(cause);
            if (number != 0) {
                return number;
            }
            if (!(cause instanceof CompletionException || cause instanceof ExecutionException)) {
                return EIO;
            }
        }
        return EIO;
    }

    /** Whether the table has the failure, so that it needs no line in the log. */
    public static boolean isKnown(Throwable thrown) {
        return ofOne(thrown) != 0;
    }

    private static int ofOne(Throwable thrown) {
        if (thrown instanceof Failure failure) {
            return failure.number;
        } else if (thrown instanceof NfsException e) {
            return OF_STATUS.getOrDefault(e.status(), EIO);
        } else if (thrown instanceof NoSuchFileException) {
            return ENOENT;
        } else if (thrown instanceof FileAlreadyExistsException) {
            return EEXIST;
        } else if (thrown instanceof AccessDeniedException) {
            return EACCES;
        } else if (thrown instanceof NotDirectoryException) {
            return ENOTDIR;
        } else if (thrown instanceof DirectoryNotEmptyException) {
            return ENOTEMPTY;
        } else if (thrown instanceof NotLinkException) {
            return EINVAL;
        } else if (thrown instanceof FileSystemLoopException) {
            return ELOOP;
        } else if (thrown instanceof ServerUnavailableException) {
            return EIO;
        } else if (thrown instanceof InterruptedIOException || thrown instanceof InterruptedException) {
            return EINTR;
        } else if (thrown instanceof NonReadableChannelException || thrown instanceof NonWritableChannelException) {
            return EBADF;
        } else if (thrown instanceof OverlappingFileLockException) {
            return EAGAIN;
        } else if (thrown instanceof UnsupportedOperationException) {
            return EOPNOTSUPP;
        }
        return 0;
    }
}
