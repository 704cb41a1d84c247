package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.MountNameCompleter;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/**
 * Gives a mount a new connection. The command is in scope {@code rdma}, because it concerns the layer below a mount.
 */
@Service
@Command(
        scope = "rdma",
        name = "reconnect",
        description = "Replaces the connection of a mount by one of the bundles that are there now",
        detailedDescription =
                """
            One use is the return to a version of RPC-over-RDMA whose bundle was started again. Calls under way are \
            finished or sent again, files stay open, and transfers go on; the pause is how long all of it took.

            Example: rdma:reconnect docs""")
public final class ReconnectCommand extends CliCommand {
    private static final int MAX_TIMEOUT = 3600;

    @Option(name = "--timeout", description = "Seconds to wait for the new connection, 1 to 3600")
    private String timeout = "30";

    @Argument(name = "NAME", description = "The mount's name", required = true)
    @Completion(MountNameCompleter.class)
    private String name;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        Duration bound = Duration.ofSeconds(
                Quantities.number("--timeout", timeout, "it is a number of seconds", 1, MAX_TIMEOUT));
        Mount mount = mounts.get(name);
        long start = System.nanoTime();
        Failures.run("cannot reconnect " + name, () -> mount.reconnect(bound));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        Map<String, String> settings = mount.settings();
        note("reconnected " + mount.name() + ": version " + Text.printable(settings.getOrDefault("version", "unknown"))
                + ", pause " + millis + " ms");
    }
}
