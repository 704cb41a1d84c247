package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.cli.internal.transfer.Copy;
import io.verbena.cli.internal.transfer.Location;
import io.verbena.cli.internal.transfer.Summary;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Copies to a mount. */
@Service
@Command(
        scope = "nfs",
        name = "put",
        description = "Copies files of this host to a mount",
        detailedDescription =
                """
            A file is copied into REMOTE where that is a directory, else to that name, as cp does; with its permissions and, to the microsecond, its time of modification.
            It appears under its name only when it is whole. Symbolic links are copied as such. The first failure ends the copy.

            Example: nfs:put /tmp/a.txt docs:/
                     nfs:put -r /srv/dir docs:/copy""")
public final class PutCommand extends CliCommand {
    @Option(name = "-r", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Option(name = "-f", description = "Replaces files too that may not be written")
    private boolean force;

    @Option(name = "-q", description = "Quiet: prints nothing")
    private boolean quiet;

    @Argument(
            name = "LOCAL... REMOTE",
            description = "A local path of each source, then NAME:/path",
            required = true,
            multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if (paths.size() < 2) {
            throw new CommandException("nfs:put wants one or more local paths, then NAME:/path");
        }
        List<Location> sources = new ArrayList<>();
        for (String path : paths.subList(0, paths.size() - 1)) {
            sources.add(Location.local(path));
        }
        String last = paths.get(paths.size() - 1);
        Location target = Location.remote(last, mounts);
        Summary summary = mounts.transfer(() -> Copy.run(sources, target, recursive, force));
        if (!quiet) {
            out.println("put " + summary);
        }
    }
}
