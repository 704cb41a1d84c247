package io.verbena.cli.internal.transfer;

import io.verbena.cli.ExitStatus;
import java.io.IOException;

/**
 * A file that could not be copied.
 *
 * @param path as the user names it
 * @param cause whose message tells it for people
 */
public record Failure(String path, IOException cause) {
    static Failure of(Location from, IOException cause) {
        return new Failure(from.toString(), cause);
    }

    /** In one line, which names the file that was in the way where it is another one. */
    public String reason() {
        String message = String.valueOf(cause.getMessage());
        String start = path + ": ";
        return message.startsWith(start) ? message.substring(start.length()) : message;
    }

    /** What the failure alone would end with. */
    public ExitStatus status() {
        return ExitStatus.of(cause);
    }
}
