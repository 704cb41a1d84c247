package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import io.verbena.nfs.transfer.internal.failure.MountReplacements;
import java.io.IOException;
import java.util.Set;

/** Recognises failures that end a copy, because the next file would fail as well. */
public final class FatalFailures {
    private static final Set<String> STATUSES = Set.of("NFS4ERR_NOSPC", "NFS4ERR_DQUOT", "NFS4ERR_ROFS");

    /** The messages of Linux for a full or read-only disk. Java has no exception types for these failures. */
    private static final Set<String> REASONS =
            Set.of("No space left on device", "Disk quota exceeded", "Read-only file system");

    private FatalFailures() {}

    public static boolean isFatal(IOException failure, TreePath from, TreePath to) {
        FailureKind outcome = FailureKind.of(failure);
        return outcome == FailureKind.INTERRUPTED
                || outcome == FailureKind.UNREACHABLE
                || !from.isReachable()
                || !to.isReachable()
                || MountReplacements.hasGivenUp(failure)
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
