package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import java.io.IOException;

/** An operation of a COMPOUND failed with this status. {@link Errors} turns it into an exception for users. */
public class StatusException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Status status;
    private final int opcode;

    public StatusException(Status status, int opcode) {
        super(Opcode.name(opcode) + " was answered with " + status);
        this.status = status;
        this.opcode = opcode;
    }

    public final Status status() {
        return status;
    }

    public final int opcode() {
        return opcode;
    }

    /** Takes no stack trace: an error status is an ordinary answer, and the place of its decoding tells nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
