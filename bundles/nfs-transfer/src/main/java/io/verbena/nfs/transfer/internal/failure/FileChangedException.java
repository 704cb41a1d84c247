package io.verbena.nfs.transfer.internal.failure;

import java.io.IOException;

/**
 * Thrown if the size or time of a file has changed since its copy began. A later copy cannot continue the octets that
 * were copied from the file.
 */
public final class FileChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    public FileChangedException(String message) {
        super(message);
    }
}
