package io.verbena.nfs.transfer.internal.failure;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.transfer.ContentMismatchException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/** The meaning of a failure for a copy. The first known exception among the failure and its causes decides. */
public enum FailureKind {
    /** The thread was interrupted, or the operation was cancelled. */
    INTERRUPTED,
    /** The server cannot be reached, or a service that is required to reach it is missing. */
    UNREACHABLE,
    /** The object does not exist. */
    NOT_FOUND,
    /** Any other failure. */
    FAILED;

    private static final Set<String> NOT_FOUND_STATUSES = Set.of("NFS4ERR_NOENT", "NFS4ERR_NOTDIR");
    private static final Set<String> PERMISSION_STATUSES = Set.of("NFS4ERR_PERM", "NFS4ERR_ROFS", "NFS4ERR_WRONGSEC");

    /** Returns the outcome of a failure. */
    public static FailureKind of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (isInterruption(cause)) {
                return INTERRUPTED;
            }
            if (cause instanceof NoSuchFileException || hasStatus(cause, NOT_FOUND_STATUSES)) {
                return NOT_FOUND;
            }
            if (isKnown(cause)) {
                return FAILED;
            }
            if (isUnreachable(cause)) {
                return UNREACHABLE;
            }
        }
        return FAILED;
    }

    private static boolean isInterruption(Throwable cause) {
        return cause instanceof InterruptedException
                || cause instanceof ClosedByInterruptException
                || cause instanceof CancellationException
                || (cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException));
    }

    /** Returns whether a failure concerns one file. Its causes are not examined. */
    private static boolean isKnown(Throwable cause) {
        return cause instanceof ContentMismatchException
                || cause instanceof AccessDeniedException
                || hasStatus(cause, PERMISSION_STATUSES)
                || cause instanceof IllegalArgumentException;
    }

    private static boolean isUnreachable(Throwable cause) {
        return cause instanceof ServerUnavailableException
                || cause instanceof ConnectException
                || cause instanceof UnknownHostException
                || cause instanceof TimeoutException;
    }

    private static boolean hasStatus(Throwable cause, Set<String> statuses) {
        return cause instanceof NfsException nfs && statuses.contains(nfs.status());
    }
}
