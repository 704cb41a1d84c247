package io.verbena.nfs41.server.internal;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Why an export does not listen. */
final class ListenFailures {
    private ListenFailures() {}

    /** What to do about it, in one line for people. */
    static String explain(ExportOptions options, IOException e) {
        Path directory = options.settings().directory();
        if (e instanceof NoSuchFileException) {
            return "cannot export " + directory + ": there is no such directory";
        } else if (e instanceof NotDirectoryException) {
            return "cannot export " + directory + ": it is not a directory";
        } else if (e instanceof AccessDeniedException) {
            return "cannot export " + directory + ": this process has no permission to read it";
        } else if (e instanceof UnknownHostException) {
            return "cannot export " + directory + ": no address is known for "
                    + options.listenOptions().local().getHostString();
        }
        return "cannot export " + directory + ": " + e.getMessage();
    }
}
