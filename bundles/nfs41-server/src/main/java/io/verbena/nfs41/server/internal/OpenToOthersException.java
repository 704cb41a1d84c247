package io.verbena.nfs41.server.internal;

import java.io.IOException;

/** An export would listen where other hosts reach it, and its configuration names none that may connect. */
final class OpenToOthersException extends IOException {
    private static final long serialVersionUID = 1L;

    OpenToOthersException(String message) {
        super(message);
    }
}
