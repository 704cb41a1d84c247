package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Exports;
import io.verbena.nfs.Export;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists exports. */
@Service
@Command(
        scope = "nfs",
        name = "exports",
        description = "Lists the exports of this host",
        detailedDescription = """
            Example: nfs:exports""")
public final class ExportsCommand extends CliCommand {
    @Reference
    private Exports exports;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("nothing is exported");
        table.column("Name");
        table.column("Directory");
        table.column("Address");
        table.column("Access");
        table.column("State");
        Text.providerColumn(table);
        Text.pairsColumn(table, "Counters");
        for (Export export : exports.all()) {
            String state = export.failure()
                    .map(failure -> "failed: " + Text.printable(String.valueOf(failure.getMessage())))
                    .orElse(export.localAddress().isPresent() ? "listening" : "starting");
            table.addRow()
                    .addContent(
                            Text.printable(export.name()),
                            Text.printable(export.directory().toString()),
                            export.localAddress().map(ExportCommand::format).orElse("-"),
                            export.isReadOnly() ? "ro" : "rw",
                            state,
                            Text.provider(export.settings()),
                            Text.pairs(export.counters()));
        }
        table.print(out);
    }
}
