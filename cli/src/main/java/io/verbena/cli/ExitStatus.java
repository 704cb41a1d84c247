package io.verbena.cli;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
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

/** What a script ends with, by the failure that ended it. */
public enum ExitStatus {
    /** All commands did what they were asked to. */
    OK(0),
    /** A command failed for a reason that has no status of its own. */
    FAILED(1),
    /** A command or an option that there is none of, or a wrong argument. */
    USAGE(2),
    /** No such file, directory, mount, export or device. */
    NOT_FOUND(3),
    /** The server, or this host, does not permit it. */
    PERMISSION(4),
    /** A server cannot be reached or does not answer in time, or a service that is needed for that is missing. */
    NO_CONNECTION(5),
    /** Contents that should be the same are not. */
    CHECKSUM(6),
    /** Of several files some were done and some were not. */
    PARTIAL(7),
    /** Interrupted, as by Ctrl-C. */
    INTERRUPTED(130);

    private static final Set<String> PERMISSION_STATUSES = Set.of("NFS4ERR_PERM", "NFS4ERR_ROFS", "NFS4ERR_WRONGSEC");

    /** Of an export that there is not; of a file there is an exception of its own. */
    private static final Set<String> NOT_FOUND_STATUSES = Set.of("NFS4ERR_NOENT", "NFS4ERR_NOTDIR");

    private final int code;

    ExitStatus(int code) {
        this.code = code;
    }

    /** The number that the process exits with. */
    public int code() {
        return code;
    }

    /** The status of a failure: what the failure itself says, else what its causes are known for. */
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
