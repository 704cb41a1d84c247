package io.verbena.nfs.transfer;

import java.io.IOException;

/**
 * A file that could not be copied, compared or removed.
 *
 * @param path the readable path of the file
 * @param cause the failure, with a readable message of one line; its causes are the underlying failures
 */
public record CopyFailure(String path, IOException cause) {
    /** Returns the reason in one line. The line names a file only if another file caused the failure. */
    public String reason() {
        String message = String.valueOf(cause.getMessage());
        String start = path + ": ";
        return message.startsWith(start) ? message.substring(start.length()) : message;
    }
}
