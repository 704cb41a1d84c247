package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.Mount;
import java.io.PrintStream;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists mounts. */
@Service
@Command(
        scope = "nfs",
        name = "mounts",
        description = "Lists mounts, their state and what was negotiated",
        detailedDescription =
                """
            Swaps are the times that the mount's connection was replaced under it, because a bundle below went or rdma:reconnect asked for it.

            Example: nfs:mounts""")
public final class MountsCommand extends CliCommand {
    /** What other columns tell. */
    private static final Set<String> TOLD = Stream.concat(
                    Stream.of("provider", "providerChoice", "device"), Text.OF_SWAPS.stream())
            .collect(Collectors.toSet());

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("nothing is mounted");
        table.column("Name");
        table.column("Source");
        table.column("State");
        Text.providerColumn(table);
        Text.swapsColumn(table);
        Text.pairsColumn(table, "Options and settings");
        for (Mount mount : mounts.all()) {
            String reason = mount.failure()
                    .map(failure -> ": " + Text.printable(String.valueOf(failure.getMessage())))
                    .orElse("");
            table.addRow()
                    .addContent(
                            mount.name(),
                            Text.printable(mount.source()),
                            mount.state().name().toLowerCase(java.util.Locale.ROOT) + reason,
                            Text.provider(mount.settings()),
                            Text.swaps(mount.settings()),
                            Text.pairs(Text.without(TOLD, mount.settings())));
        }
        table.print(out);
    }
}
