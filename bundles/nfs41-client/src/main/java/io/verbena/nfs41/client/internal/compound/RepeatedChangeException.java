package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;

/**
 * A change was sent again, as its first reply did not come, and has failed with a status that its own first execution
 * can have brought about. {@link Errors} turns it into {@link io.verbena.nfs.UndecidedException}.
 */
public final class RepeatedChangeException extends StatusException {
    private static final long serialVersionUID = 1L;

    private RepeatedChangeException(Status status, int opcode) {
        super(status, opcode);
    }

    /** The failure of a change that may have been executed before: that failure, or an exception of this kind. */
    public static StatusException of(StatusException failure) {
        return isOwn(failure.status(), failure.opcode())
                ? new RepeatedChangeException(failure.status(), failure.opcode())
                : failure;
    }

    /** Whether a change that was executed fails so when it is executed again. */
    private static boolean isOwn(Status status, int opcode) {
        if (status == Status.NFS4ERR_RETRY_UNCACHED_REP) {
            return true;
        }
        return switch (opcode) {
            case Opcode.CREATE, Opcode.LINK, Opcode.OPEN -> status == Status.NFS4ERR_EXIST;
            case Opcode.REMOVE, Opcode.RENAME -> status == Status.NFS4ERR_NOENT;
            default -> false;
        };
    }
}
