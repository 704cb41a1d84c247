package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.MountNameCompleter;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.table.ShellTable;

/** Shows room. */
@Service
@Command(
        scope = "nfs",
        name = "df",
        description = "Shows the room on mounts",
        detailedDescription =
                """
            In octets; of all mounts where none is named.

            Example: nfs:df docs""")
public final class DiskFreeCommand extends CliCommand {
    @Argument(name = "NAME", description = "A mount's name", multiValued = true)
    @Completion(MountNameCompleter.class)
    private List<String> names;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        ShellTable table = new ShellTable().emptyTableText("nothing is mounted");
        table.column("Name");
        table.column("Octets").alignRight();
        table.column("Used").alignRight();
        table.column("Available").alignRight();
        table.column("Files").alignRight();
        table.column("Free files").alignRight();
        table.column("Source");
        for (Mount mount : mounts()) {
            FileSystemStatus status = Failures.get(mount.name() + ":/", () -> mount.fileSystemStatus("/"));
            table.addRow()
                    .addContent(
                            mount.name(),
                            status.totalBytes(),
                            status.totalBytes() - status.freeBytes(),
                            status.availableBytes(),
                            status.totalFiles(),
                            status.freeFiles(),
                            Text.printable(mount.source()));
        }
        table.print(out);
    }

    private List<Mount> mounts() throws CommandException {
        if (names == null) {
            return mounts.all();
        }
        List<Mount> named = new ArrayList<>();
        for (String name : names) {
            int colon = name.indexOf(':'); // docs, docs: and docs:/ are the same mount
            named.add(mounts.get(colon < 0 ? name : name.substring(0, colon)));
        }
        return named;
    }
}
