package io.verbena.nfs.transfer.internal.failure;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.util.Optional;

/** Recognises failures of mounts that were replaced. */
public final class MountReplacements {
    private MountReplacements() {}

    /** Returns the failure that reports the replacement of a mount, if it is among the causes of a failure. */
    public static Optional<MountReplacedException> of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MountReplacedException replaced) {
                return Optional.of(replaced);
            }
        }
        return Optional.empty();
    }

    /** Returns whether a failure leaves open whether the server has carried out the request. */
    public static boolean isUndecided(IOException failure) {
        return failure instanceof UndecidedException
                || of(failure).filter(MountReplacedException::isUndecided).isPresent();
    }

    /** Returns whether a failure comes from a mount that was replaced without a permanent successor. */
    public static boolean hasGivenUp(Throwable failure) {
        if (of(failure).isPresent()) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Throwable before : cause.getSuppressed()) {
                if (of(before).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }
}
