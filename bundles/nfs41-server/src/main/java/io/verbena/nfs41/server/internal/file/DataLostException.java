package io.verbena.nfs41.server.internal.file;

import java.io.IOException;

/** The data of a change may be lost, although its own fsync succeeded: somebody else was told of the loss. */
public final class DataLostException extends IOException {
    private static final long serialVersionUID = 1L;

    DataLostException() {
        super("written data may have been lost meanwhile");
    }
}
