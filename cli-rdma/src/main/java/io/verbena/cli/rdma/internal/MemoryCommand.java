package io.verbena.cli.rdma.internal;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.ShareUsage;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Lists the direct memory that each owner holds. */
@Service
@Command(
        scope = "rdma",
        name = "memory",
        description = "Shows who holds how much of the direct memory",
        detailedDescription =
                """
            The first line is the budget: what all buffers hold in sum, and what they may hold. A share, as that of a \
            mount or of a peer, may hold as much as is free besides, and no more; waiting are those who ask for memory \
            that is not there yet. The limit is that of the configuration io.verbena.memory, else seven eighths of \
            what the JVM gives (-XX:MaxDirectMemorySize).

            Example: rdma:memory
                     rdma:memory --json""")
public final class MemoryCommand extends ListingCommand {
    @Reference
    private RdmaServices services;

    /**
     * A line of the list.
     *
     * @param owner the owner of the memory
     * @param octets the octets that the owner holds
     * @param limit the limit in octets; null for a share, whose limit changes with the memory of other shares
     * @param leases the number of leases
     * @param waiting the number of waiting requests
     */
    private record Line(String owner, long octets, Long limit, long leases, long waiting) {}

    @Override
    protected void run(PrintStream out) throws IOException {
        Listing<Line> listing = new Listing<Line>(Listing.Layout.TABLE, "there is no budget of direct memory")
                .text("Owner", Line::owner)
                .octets("Octets", Line::octets)
                .octets("Limit", Line::limit)
                .count("Leases", Line::leases)
                .count("Waiting", Line::waiting);
        print(listing, services.memory().map(MemoryCommand::lines).orElse(List.of()), out);
    }

    private static List<Line> lines(MemoryBudget budget) {
        List<ShareUsage> holdings = budget.holdings();
        List<Line> lines = new ArrayList<>();
        long leases = holdings.stream()
                .filter(holding -> !holding.isPart())
                .mapToLong(ShareUsage::leases)
                .sum();
        long waiting = holdings.stream().mapToLong(ShareUsage::waiting).sum();
        lines.add(new Line("all", budget.leasedBytes(), budget.limitBytes(), leases, waiting));
        for (ShareUsage holding : holdings) {
            lines.add(new Line(holding.owner(), holding.leasedBytes(), null, holding.leases(), holding.waiting()));
        }
        return lines;
    }
}
