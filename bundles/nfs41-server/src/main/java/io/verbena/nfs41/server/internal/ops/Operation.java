package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/** An operation of a COMPOUND. */
@FunctionalInterface
interface Operation {
    /**
     * Reads the arguments, executes, and writes the whole result if it has a body.
     *
     * @return {@code NFS4_OK}; the status of a failure whose result has been written; or null if the rest is left to a
     *     worker: see {@link CompoundContext#onWorker}
     * @throws IOException if the operation fails: an {@code NfsError} carries the status, an {@code XdrException} means
     *     that the arguments could not be read, and other exceptions are mapped to a status
     */
    Status execute(CompoundContext context, XdrReader in, XdrWriter out) throws IOException;
}
