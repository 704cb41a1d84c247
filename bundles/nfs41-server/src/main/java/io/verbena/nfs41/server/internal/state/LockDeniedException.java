package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.LockDenied;

/** Somebody else's lock is in the way. Has no stack trace: it is an answer, not an accident. */
public final class LockDeniedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient LockDenied denied;

    LockDeniedException(LockDenied denied) {
        super("locked by another owner", null, false, false);
        this.denied = denied;
    }

    /** The lock in the way. */
    public LockDenied denied() {
        return denied;
    }
}
