package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Prints how files begin. */
@Service
@Command(
        scope = "nfs",
        name = "head",
        description = "Prints the first lines of files of a mount",
        detailedDescription =
                """
            Ten lines, or what -n or -c says; the octets go to the output as they are. No more is read than that takes.

            Example: nfs:head -n 3 docs:/a.csv
                     nfs:head -c 512 docs:/disk.img | hexdump""")
public final class HeadCommand extends CliCommand {
    @Option(name = "-n", aliases = "--lines", description = "So many lines")
    private String lines = "10";

    @Option(name = "-c", aliases = "--bytes", description = "So many octets, not lines: 512, 64K, 1M")
    private String octets;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        long amount = octets == null ? Quantities.number("-n", lines) : Quantities.octets("-c", octets);
        List<MountedPath> files = RemotePaths.expand(paths, session, mounts);
        boolean isFirst = true;
        for (MountedPath file : files) {
            if (files.size() > 1) {
                out.print((isFirst ? "" : "\n") + "==> " + file + " <==\n");
                isFirst = false;
            }
            try (ContentReader reader = new ContentReader(file, mounts)) {
                Excerpt excerpt = new Excerpt(reader, out);
                if (octets == null) {
                    excerpt.printLines(amount);
                } else {
                    excerpt.print(0, amount);
                }
            }
        }
    }
}
