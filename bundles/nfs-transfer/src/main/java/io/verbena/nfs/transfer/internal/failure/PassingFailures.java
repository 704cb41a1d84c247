package io.verbena.nfs.transfer.internal.failure;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.transfer.ContentMismatchException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Set;

/** Recognises failures of one file that another attempt may not meet. */
public final class PassingFailures {
    private static final Set<String> STATUSES = Set.of(
            "NFS4ERR_IO",
            "NFS4ERR_DELAY",
            "NFS4ERR_GRACE",
            "NFS4ERR_STALE",
            "NFS4ERR_FHEXPIRED",
            "NFS4ERR_EXPIRED",
            "NFS4ERR_ADMIN_REVOKED",
            "NFS4ERR_BAD_STATEID",
            "NFS4ERR_OLD_STATEID",
            "NFS4ERR_SERVERFAULT",
            "NFS4ERR_RESOURCE",
            "NFS4ERR_SHARE_DENIED",
            "NFS4ERR_LOCKED",
            "NFS4ERR_FILE_OPEN");

    /** The messages of Linux for failures that pass. Java has no exception types for these failures. */
    private static final Set<String> REASONS =
            Set.of("Input/output error", "Resource temporarily unavailable", "Stale file handle", "Text file busy");

    private PassingFailures() {}

    /** Returns whether another attempt may succeed. */
    public static boolean isPassing(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof FileChangedException
                    || cause instanceof ContentMismatchException
                    || cause instanceof SocketTimeoutException
                    || (cause instanceof NfsException nfs && STATUSES.contains(nfs.status()))
                    || REASONS.stream().anyMatch(message::endsWith)) {
                return true;
            }
        }
        return false;
    }
}
