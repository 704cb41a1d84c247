package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.Listing;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import io.verbena.cli.internal.nfs.command.TreeWalk;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Shows the space that files occupy. */
@Service
@Command(
        scope = "nfs",
        name = "du",
        description = "Shows the room that directories of a mount take",
        detailedDescription =
                """
            In octets on the server, each directory with all below it, as soon as it has been gone through. A file \
            with several names counts once; links are not followed. A directory that cannot be read is told and \
            passed over, and the command then ends with status 7.

            Example: nfs:du -s -h docs:/reports
                     nfs:du -h -d 1 docs:/""")
public final class DiskUsageCommand extends RemoteListingCommand {
    @Option(name = "-s", aliases = "--summarize", description = "Only PATH itself, with all below it")
    private boolean summary;

    @Option(name = "-d", aliases = "--max-depth", description = "Directories so far below PATH at most")
    private String maxDepth;

    @Option(name = "--apparent-size", description = "The sizes of files, not the room that they take")
    private boolean apparentSize;

    @Argument(name = "PATH", description = "Files or directories; else the current one", multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        long depth = maxDepth == null ? Long.MAX_VALUE : Quantities.number("-d", maxDepth);
        List<MountedPath> starts = files(orHere(paths));
        Listing<DiskUsage.Total> listing = new Listing<DiskUsage.Total>(Listing.Layout.STREAM)
                .octets("Octets", DiskUsage.Total::octets)
                .member("files", DiskUsage.Total::files)
                .member("directories", DiskUsage.Total::directories)
                .shown("Path", 0, total -> total.path().toString())
                .member("path", total -> total.path().toString());
        Listing.Rows<DiskUsage.Total> rows = begin(listing, out);
        DiskUsage usage = new DiskUsage(apparentSize, summary ? 0 : depth, rows::add);
        TreeWalk walk = new TreeWalk(usage, Integer.MAX_VALUE, errorLines());
        walk.walk(starts, rows);
    }
}
