package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.Status;
import java.io.IOException;

/** An operation's failure by its status on the wire. Has no stack trace: it is an answer, not an accident. */
public final class NfsError extends IOException {
    private static final long serialVersionUID = 1L;

    private final Status status;

    public NfsError(Status status) {
        super(status.name());
        this.status = status;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    public Status status() {
        return status;
    }
}
