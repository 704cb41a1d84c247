package io.verbena.verbs.iwarp.internal.wire;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.wire.Iwarp.Fault;

/** What the peer sent breaks the protocol or its rights: a Terminate is due and the stream is over. */
public final class StreamFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    public StreamFault(Fault fault, String detail) {
        super(fault.text + ": " + detail);
        this.fault = fault;
    }

    public Fault fault() {
        return fault;
    }

    public RdmaException toRdmaException() {
        RdmaException.Kind kind = fault.isProtection() ? RdmaException.Kind.ACCESS : RdmaException.Kind.PROTOCOL;
        return new RdmaException(kind, "the peer broke the iWARP protocol, " + getMessage());
    }
}
