package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import java.io.IOException;

/** An operation of a COMPOUND that the server answered with an error; turned into what users see by {@link Errors}. */
class StatusException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Status status;
    private final int opcode;

    StatusException(Status status, int opcode) {
        super(Opcode.name(opcode) + " was answered with " + status);
        this.status = status;
        this.opcode = opcode;
    }

    final Status status() {
        return status;
    }

    final int opcode() {
        return opcode;
    }

    /** An everyday answer, not a fault of the program's: where it was decoded is of no interest. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
