package io.verbena.cli.rdma.internal;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists connections. */
@Service
@Command(
        scope = "rdma",
        name = "connections",
        description = "Lists connections of RPC over RDMA",
        detailedDescription =
                """
            With what was negotiated and what has happened on each so far. Swaps are the times that another connection took its place because a service below went, or rdma:reconnect asked for it.

            Example: rdma:connections""")
public final class ConnectionsCommand extends CliCommand {
    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) {
        ShellTable table = new ShellTable().emptyTableText("no connection");
        table.column("Id").alignRight();
        table.column("Role");
        table.column("State");
        table.column("Local");
        table.column("Remote");
        Text.swapsColumn(table);
        Text.pairsColumn(table, "Settings");
        Text.pairsColumn(table, "Counters");
        for (ConnectionMonitor monitor : services.monitors()) {
            for (ConnectionStatus connection : monitor.connections()) {
                table.addRow()
                        .addContent(
                                connection.id(),
                                connection.role(),
                                connection.state(),
                                connection.local(),
                                connection.remote(),
                                Text.swaps(connection.settings()),
                                Text.pairs(Text.without(Text.OF_SWAPS, connection.settings())),
                                Text.pairs(connection.counters()));
            }
        }
        table.print(out);
    }
}
