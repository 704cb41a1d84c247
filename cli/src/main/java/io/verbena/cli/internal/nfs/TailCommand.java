package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Prints how files end, and what they grow by. */
@Service
@Command(
        scope = "nfs",
        name = "tail",
        description = "Prints the last lines of files of a mount, and follows one",
        detailedDescription =
                """
            Ten lines, or what -n or -c says; the octets go to the output as they are.
            With -f it looks every second whether the file has grown, until Ctrl-C. Where it has become shorter, or another file has come to its name, that is printed from its beginning; where it has gone, it is waited for; where the mount is replaced, it goes on where it was. Each is told on the error stream.

            Example: nfs:tail -n 100 docs:/app.log
                     nfs:tail -f docs:/app.log | grep ERROR""")
public final class TailCommand extends CliCommand {
    @Option(name = "-n", aliases = "--lines", description = "So many lines")
    private String lines = "10";

    @Option(name = "-c", aliases = "--bytes", description = "So many octets, not lines: 512, 64K, 1M")
    private String octets;

    @Option(name = "-f", aliases = "--follow", description = "Goes on with what is added, until Ctrl-C")
    private boolean follow;

    @Option(name = "-s", aliases = "--sleep-interval", description = "With -f: looks every so many seconds")
    private String interval = "1";

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
        Duration pause = Quantities.seconds("-s", interval);
        List<MountedPath> files = RemotePaths.expand(paths, session, mounts);
        if (follow && files.size() > 1) {
            throw new CommandFailure(ExitStatus.USAGE, "nfs:tail -f follows one file, and these are " + files.size());
        }
        boolean isFirst = true;
        for (MountedPath file : files) {
            if (files.size() > 1) {
                out.print((isFirst ? "" : "\n") + "==> " + file + " <==\n");
                isFirst = false;
            }
            try (ContentReader reader = new ContentReader(file, mounts)) {
                Follower follower = new Follower(file, reader, out, System.err);
                follower.begin(amount, octets == null);
                if (follow) {
                    follower.follow(pause);
                }
            }
        }
    }
}
