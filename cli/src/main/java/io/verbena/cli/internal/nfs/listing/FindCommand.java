package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.Listing;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.FileRow;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import io.verbena.cli.internal.nfs.command.TreeWalk;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Finds files. */
@Service
@Command(
        scope = "nfs",
        name = "find",
        description = "Finds files below directories of a mount",
        detailedDescription =
                """
            What fits all that is asked for, a line each as soon as it is found, in the server's order; links are not \
            followed. A directory that cannot be read is told and passed over, and the command then ends with status 7.

            Example: nfs:find --name '*.csv' --size +1M --newer 7d docs:/
                     nfs:find --type d --max-depth 1 --json docs:/""")
public final class FindCommand extends RemoteListingCommand {
    @Option(name = "--name", description = "Whose name matches this pattern, in quotes at the prompt")
    private String name;

    @Option(name = "--type", description = "f for files, d for directories, l for symbolic links")
    @Completion(
            value = StringsCompleter.class,
            values = {"f", "d", "l"})
    private String type;

    @Option(name = "--size", description = "Larger than +SIZE, smaller than -SIZE, or SIZE in octets or K, M, G")
    private String size;

    @Option(
            name = "--newer",
            description = "Modified after a time: 2026-01-31, 2026-01-31T12:00:00Z, or 3d for 3 days ago")
    private String newer;

    @Option(name = "--max-depth", description = "The largest depth below PATH; entries of PATH itself have depth 1")
    private String maxDepth;

    @Argument(name = "PATH", description = "Where to look; else in the current directory", multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        FindCriteria criteria = FindCriteria.of(name, type, size, newer, Instant.now());
        int depth = maxDepth == null
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, Quantities.number("--max-depth", maxDepth));
        List<MountedPath> starts = files(orHere(paths));
        Listing<FileRow> listing = new Listing<FileRow>(Listing.Layout.STREAM).shown("path", 0, FileRow::shown);
        Listing.Rows<FileRow> rows = begin(FileRow.members(listing), out);
        TreeWalk walk = new TreeWalk(
                (path, attributes, level) -> {
                    if (criteria.fits(path.remote().name(), attributes)) {
                        rows.add(new FileRow(path, path.toString(), attributes, target(path, attributes)));
                    }
                },
                depth,
                errorLines());
        walk.walk(starts, rows);
    }

    /** Returns the target of a link for JSON only. Other output does not need the additional call for each link. */
    private String target(MountedPath path, FileAttributes attributes) throws IOException {
        return isJson() && attributes.isSymbolicLink() ? Text.name(path.readLink()) : null;
    }
}
