package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.CliCommand;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Text;
import io.verbena.nfs.Mount;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
    /** What the provider's column tells. */
    private static final Set<String> OF_PROVIDER = Set.of("provider", "providerChoice", "device");

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("nothing is mounted");
        table.column("Name");
        table.column("Source");
        table.column("State");
        Text.providerColumn(table);
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
                            Text.pairs(others(mount.settings())));
        }
        table.print(out);
    }

    private static Map<String, String> others(Map<String, String> settings) {
        Map<String, String> others = new LinkedHashMap<>(settings);
        others.keySet().removeAll(OF_PROVIDER);
        return others;
    }
}
