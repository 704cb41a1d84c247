package io.verbena.nfs41.server.internal.file;

import java.io.IOException;

/** Written data was lost while a change was brought to stable storage: that of the change, or other data. */
public final class DataLostException extends IOException {
    private static final long serialVersionUID = 1L;

    DataLostException() {
        super("written data was lost meanwhile");
    }
}
