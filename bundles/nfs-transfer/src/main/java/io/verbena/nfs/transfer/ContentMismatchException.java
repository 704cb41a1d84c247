package io.verbena.nfs.transfer;

import java.io.IOException;

/** Thrown if the content that was read back differs from the content that was to be written. */
public final class ContentMismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message a readable message of one line
     */
    public ContentMismatchException(String message) {
        super(message);
    }
}
