package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.LockDenied;

/** Another owner's lock conflicts. Has no stack trace, since it is an ordinary answer. */
public final class LockDeniedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient LockDenied denied;

    LockDeniedException(LockDenied denied) {
        super("locked by another owner", null, false, false);
        this.denied = denied;
    }

    /** The conflicting lock. */
    public LockDenied denied() {
        return denied;
    }
}
