package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountSource;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.complete.MountOptionCompleter;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Mounts an export. */
@Service
@Command(
        scope = "nfs",
        name = "mount",
        description = "Mounts an export of an NFSv4.1 server over RDMA",
        detailedDescription =
                """
            The mount is a configuration, io.verbena.nfs.mount~NAME, and lasts until nfs:unmount.
            Its options are named as mount.nfs names them, separated by commas; TAB completes and explains them.
            Other than there, soft is the default: calls fail in time when the server stays away.
            Which RDMA provider carries the mount is chosen when it connects first, unless provider= says; nfs:mounts \
            tells which, and why.
            An IPv6 address stands in brackets and the whole in quotes.

            Example: nfs:mount -o proto=rdma,port=20049,hard server:/export docs
                     nfs:mount '[::1]:/export' docs""")
public final class MountCommand extends CliCommand {
    @Option(name = "-o", description = "Options as mount.nfs takes them, like port=20049,soft,ro")
    @Completion(MountOptionCompleter.class)
    private String options = "";

    @Argument(name = "SERVER:/EXPORT", description = "Host name or address, and path", required = true)
    private String source;

    @Argument(index = 1, name = "NAME", description = "What the mount is called in NAME:/path", required = true)
    private String name;

    @Reference
    private Mounts mounts;

    @Reference
    private Providers providers;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        MountSource parsed = MountSource.parse(source);
        MountOptions given = MountOptions.parse(options);
        providers.check(given.get(MountOption.PROVIDER));
        Mount mount = mounts.mount(name, parsed.server(), parsed.export(), given);
        note("mounted " + Text.printable(mount.source()) + " as " + mount.name());
    }
}
