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

/** Copies from a mount. */
@Service
@Command(
        scope = "nfs",
        name = "get",
        description = "Copies files from a mount to this host",
        detailedDescription =
                """
            A file is copied into LOCAL where that is a directory, else to that name, as cp does; with its permissions and, to the microsecond, its time of modification.
            It appears under its name only when it is whole. Symbolic links are copied as such. The first failure ends the copy.

            Example: nfs:get docs:/a.txt docs:/b.txt /tmp
                     nfs:get -r docs:/dir /srv/copy""")
public final class GetCommand extends CliCommand {
    @Option(name = "-r", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Option(name = "-f", description = "Replaces files too that may not be written")
    private boolean force;

    @Option(name = "-q", description = "Quiet: prints nothing")
    private boolean quiet;

    @Argument(
            name = "REMOTE... LOCAL",
            description = "NAME:/path of each source, then a local path",
            required = true,
            multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if (paths.size() < 2) {
            throw new CommandException("nfs:get wants NAME:/path of one or more sources, then a local path");
        }
        List<Location> sources = new ArrayList<>();
        for (String path : paths.subList(0, paths.size() - 1)) {
            sources.add(Location.remote(path, mounts));
        }
        String last = paths.get(paths.size() - 1);
        Location target = Location.local(last);
        Summary summary = mounts.transfer(() -> Copy.run(sources, target, recursive, force));
        if (!quiet) {
            out.println("got " + summary);
        }
    }
}
