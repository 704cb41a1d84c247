package io.verbena.cli.internal.hosts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountSource;
import io.verbena.nfs.MountOptions;

/**
 * A mount that is asked for.
 *
 * @param name the name of the mount
 * @param source the server and the export
 * @param options the options
 */
public record MountRequest(String name, MountSource source, MountOptions options) {
    /**
     * Returns the name of a mount for a directory: the last name of its path, with {@code -} for each character that no
     * name of a mount has. The root directory becomes {@code root}.
     */
    static String nameOf(String directory) {
        String path = directory.replaceAll("/+$", "");
        String last = path.substring(path.lastIndexOf('/') + 1);
        return last.isEmpty() ? "root" : last.replaceAll("[^\\p{L}\\p{N}_.-]", "-");
    }

    /** Returns a failure that names the place of the fault. */
    static CommandFailure wrong(String file, int line, String fault) {
        return new CommandFailure(
                ExitStatus.USAGE, Text.name(file) + (line == 0 ? "" : ":" + line) + ": " + Text.printable(fault));
    }
}
