package io.verbena.cli.rdma.internal;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Text;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Lists connections. */
@Service
@Command(
        scope = "rdma",
        name = "connections",
        description = "Lists connections of RPC over RDMA",
        detailedDescription =
                """
            With what was negotiated and what has happened on each so far. Swaps are the times that another connection \
            took its place because a service below went, or rdma:reconnect asked for it.

            Example: rdma:connections""")
public final class ConnectionsCommand extends ListingCommand {
    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException {
        Listing<ConnectionStatus> listing = new Listing<ConnectionStatus>(Listing.Layout.TABLE, "no connection")
                .count("Id", ConnectionStatus::id)
                .text("Role", ConnectionStatus::role)
                .text("State", ConnectionStatus::state)
                .text("Local", ConnectionStatus::local)
                .text("Remote", ConnectionStatus::remote)
                .shown("Swaps", Text.SWAPS_WIDTH, connection -> Text.swaps(connection.settings()))
                .shownPairs("Settings", connection -> Text.without(Text.OF_SWAPS, connection.settings()))
                .member("settings", ConnectionStatus::settings)
                .pairs("Counters", ConnectionStatus::counters);
        List<ConnectionStatus> connections = new ArrayList<>();
        services.monitors().forEach(monitor -> connections.addAll(monitor.connections()));
        print(listing, connections, out);
    }
}
