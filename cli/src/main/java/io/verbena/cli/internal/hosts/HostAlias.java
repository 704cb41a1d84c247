package io.verbena.cli.internal.hosts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountSource;
import io.verbena.nfs.MountOptions;

/**
 * A server under a name of the user's own.
 *
 * @param name the name
 * @param server the host name or address of the server
 * @param export the path of the export for a mount that names none; empty if there is none
 * @param options the options of every mount, with the port; empty if there are none
 */
public record HostAlias(String name, String server, String export, String options) {
    /** Returns the source of a mount of the server's export. */
    MountSource source() throws CommandFailure {
        if (export.isEmpty()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "alias " + name + " has no Export: name one, like " + name + ":/docs, or add it to the alias");
        }
        return new MountSource(server, export);
    }

    /** Returns the options of a mount: those of the alias, and then further ones, of which the last counts. */
    MountOptions with(String further) {
        return MountOptions.parse(options + "," + further);
    }
}
