package io.verbena.nfs41.server.internal.testing;

import java.io.PrintStream;

/** An Error that cannot be logged, as where there is no memory for that. */
public final class UnspeakableError extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public void printStackTrace(PrintStream log) {
        throw this;
    }
}
