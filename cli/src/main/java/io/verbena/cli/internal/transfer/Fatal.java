package io.verbena.cli.internal.transfer;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.util.Set;

/** Failures after which the next file would fare no better, so that a copy ends. */
final class Fatal {
    private static final Set<String> STATUSES = Set.of("NFS4ERR_NOSPC", "NFS4ERR_DQUOT", "NFS4ERR_ROFS");

    /** What Linux says of a full or read-only disk; Java has no exceptions for these. */
    private static final Set<String> REASONS =
            Set.of("No space left on device", "Disk quota exceeded", "Read-only file system");

    private Fatal() {}

    static boolean isFatal(IOException failure, Location from, Location to) {
        ExitStatus status = ExitStatus.of(failure);
        return status == ExitStatus.INTERRUPTED
                || status == ExitStatus.NO_CONNECTION
                || !from.isReachable()
                || !to.isReachable()
                || ReplaceableMount.hasGivenUp(failure)
                || isFull(failure);
    }

    private static boolean isFull(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if ((cause instanceof NfsException nfs && STATUSES.contains(nfs.status()))
                    || REASONS.stream().anyMatch(message::endsWith)) {
                return true;
            }
        }
        return false;
    }
}
