package io.verbena.verbs.trace.capture;

import java.io.IOException;

/** A file that is no capture, or not one that can be read to its end. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    public CaptureException(String message) {
        super(message);
    }
}
