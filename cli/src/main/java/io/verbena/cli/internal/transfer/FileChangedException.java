package io.verbena.cli.internal.transfer;

import java.io.IOException;

/** A file has another size or time since its copy began, so that what was copied of it cannot be taken up again. */
final class FileChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    FileChangedException(String message) {
        super(message);
    }
}
