package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.CliCommand;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Text;
import io.verbena.nfs.Mount;
import java.io.PrintStream;
import java.util.Map;
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
        detailedDescription = """
            Example: nfs:mounts""")
public final class MountsCommand extends CliCommand {
    private static final int PROVIDER_WIDTH = 24;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("nothing is mounted");
        table.column("Name");
        table.column("Source");
        table.column("State");
        table.column("Provider").maxSize(PROVIDER_WIDTH).wrap();
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
                            provider(mount.settings()),
                            Text.pairs(mount.settings()));
        }
        table.print(out);
    }

    /** Who carries the mount, by which device, and why: {@code native rxe0 (auto: rxe0 has a route)}. */
    private static String provider(Map<String, String> settings) {
        return ExportsCommand.provider(settings, settings.getOrDefault("device", ""));
    }
}
