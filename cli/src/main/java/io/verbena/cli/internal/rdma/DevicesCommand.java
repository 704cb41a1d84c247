package io.verbena.cli.internal.rdma;

import io.verbena.cli.internal.CliCommand;
import io.verbena.cli.internal.RdmaServices;
import io.verbena.cli.internal.Text;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaProvider;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists devices. */
@Service
@Command(
        scope = "rdma",
        name = "devices",
        description = "Lists RDMA devices",
        detailedDescription =
                """
            Of all providers that are there; those in software need no hardware.

            Example: rdma:devices""")
public final class DevicesCommand extends CliCommand {
    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("no RDMA device: no provider is started, or none has one");
        table.column("Provider");
        table.column("Device");
        table.column("Transport");
        table.column("State");
        Text.pairsColumn(table, "Attributes");
        for (RdmaProvider provider : services.providers()) {
            for (RdmaDevice device : provider.devices()) {
                table.addRow()
                        .addContent(
                                provider.name(),
                                device.name(),
                                device.transport(),
                                device.active() ? "active" : "down",
                                Text.pairs(device.attributes()));
            }
        }
        table.print(out);
    }
}
