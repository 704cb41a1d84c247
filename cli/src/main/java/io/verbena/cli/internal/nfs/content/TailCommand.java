package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Prints the last part of files, and the octets that are appended to them. */
@Service
@Command(
        scope = "nfs",
        name = "tail",
        description = "Prints the last lines of files of a mount, and follows one",
        detailedDescription =
                """
            Ten lines, or what -n or -c says; the octets go to the output as they are.
            With -f it looks every second whether the file has grown, until Ctrl-C. Where it has become shorter, or \
            another file has come to its name, that is printed from its beginning; where it has gone, it is waited \
            for; where the mount is replaced, it goes on where it was. Each is told on the error stream.

            Example: nfs:tail -n 100 docs:/app.log
                     nfs:tail -f docs:/app.log | grep ERROR""")
public final class TailCommand extends ExcerptCommand {
    @Option(name = "-f", aliases = "--follow", description = "Goes on with what is added, until Ctrl-C")
    private boolean follow;

    @Option(name = "-s", aliases = "--sleep-interval", description = "With -f: looks every so many seconds")
    private String interval = "1";

    private Duration pause;

    @Override
    void prepare(List<MountedPath> files) throws CommandException {
        pause = Quantities.seconds("-s", interval);
        if (follow && files.size() > 1) {
            throw new CommandFailure(ExitStatus.USAGE, "nfs:tail -f follows one file, and these are " + files.size());
        }
    }

    @Override
    void print(MountedPath file, ContentReader reader, Amount amount, PrintStream out) throws IOException {
        Follower follower =
                new Follower(file, new Excerpt(reader, failing(out)), reader, out, this::note, this::flushTerminal);
        follower.begin(amount.count(), amount.isLines());
        if (follow) {
            follower.follow(pause);
        }
    }
}
