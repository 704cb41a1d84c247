package io.verbena.verbs.trace.capture;

import java.io.IOException;

/** The file is not a capture, or cannot be read to its end. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    public CaptureException(String message) {
        super(message);
    }
}
