package io.verbena.cli.internal.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import java.io.IOException;

/** What was read back is not what was to be written. */
final class ContentMismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    ContentMismatchException(String message) {
        super(message, new CommandFailure(ExitStatus.CHECKSUM, message));
    }
}
