package io.verbena.nfs41.server.internal.util;

import io.verbena.nfs41.Status;
import java.io.IOException;

/** The failure of an operation, with its status on the wire. Has no stack trace, since it is an ordinary answer. */
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
