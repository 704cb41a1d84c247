package io.verbena.cli;

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

/** The exit status of a script, determined by the failure that ended it. */
public enum ExitStatus {
    /** All commands succeeded. */
    OK(0),
    /** A command failed for a reason that has no status of its own. */
    FAILED(1),
    /** A command or an option does not exist, or an argument is wrong. */
    USAGE(2),
    /** A file, directory, mount, export or device does not exist. */
    NOT_FOUND(3),
    /** The server, or this host, does not permit the operation. */
    PERMISSION(4),
    /** A server cannot be reached or does not answer in time, or a service that is required to reach it is missing. */
    NO_CONNECTION(5),
    /** Contents that should be equal differ. */
    CHECKSUM(6),
    /** Some of several files succeeded and others failed. */
    PARTIAL(7),
    /** The command was interrupted, for example by Ctrl-C. */
    INTERRUPTED(130);

    private static final Set<String> PERMISSION_STATUSES = Set.of("NFS4ERR_PERM", "NFS4ERR_ROFS", "NFS4ERR_WRONGSEC");

    /** The statuses of an export that does not exist. For a missing file there is an exception type. */
    private static final Set<String> NOT_FOUND_STATUSES = Set.of("NFS4ERR_NOENT", "NFS4ERR_NOTDIR");

    private final int code;

    ExitStatus(int code) {
        this.code = code;
    }

    /** Returns the exit code of the process. */
    public int code() {
        return code;
    }

    /**
     * Returns the status of a failure: the status that the failure carries, otherwise the status that its causes imply.
     */
    public static ExitStatus of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            ExitStatus known = known(cause);
            if (known != FAILED) {
                return known;
            }
        }
        return FAILED;
    }

    private static ExitStatus known(Throwable cause) {
        if (cause instanceof CommandFailure failure) {
            return failure.status();
        }
        if (cause instanceof InterruptedException
                || cause instanceof ClosedByInterruptException
                || cause instanceof CancellationException
                || (cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException))) {
            return INTERRUPTED;
        }
        if (cause instanceof ContentMismatchException) {
            return CHECKSUM;
        }
        if (cause instanceof NoSuchFileException
                || (cause instanceof NfsException nfs && NOT_FOUND_STATUSES.contains(nfs.status()))) {
            return NOT_FOUND;
        }
        if (cause instanceof AccessDeniedException
                || (cause instanceof NfsException nfs && PERMISSION_STATUSES.contains(nfs.status()))) {
            return PERMISSION;
        }
        if (cause instanceof ServerUnavailableException
                || cause instanceof ConnectException
                || cause instanceof UnknownHostException
                || cause instanceof TimeoutException) {
            return NO_CONNECTION;
        }
        return cause instanceof IllegalArgumentException ? USAGE : FAILED;
    }
}
