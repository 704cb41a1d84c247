package io.verbena.cli.internal.nfs;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Lists mounts. */
@Service
@Command(
        scope = "nfs",
        name = "mounts",
        description = "Lists mounts, their state and what was negotiated",
        detailedDescription =
                """
            Swaps are the times that the mount's connection was replaced under it, because a bundle below went or rdma:reconnect asked for it.

            Example: nfs:mounts
                     nfs:mounts --json""")
public final class MountsCommand extends ListingCommand {
    /** What other columns tell. */
    private static final Set<String> TOLD = Stream.concat(
                    Stream.of("provider", "providerChoice", "device"), Text.OF_SWAPS.stream())
            .collect(Collectors.toSet());

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException {
        Listing<Mount> listing = new Listing<Mount>(Listing.Layout.TABLE, "nothing is mounted")
                .text("Name", Mount::name)
                .text("Source", Mount::source)
                .shown("State", 0, mount -> state(mount) + (mount.failure().isEmpty() ? "" : ": " + failure(mount)))
                .shown("Provider", Text.PROVIDER_WIDTH, mount -> Text.provider(mount.settings()))
                .shown("Swaps", Text.SWAPS_WIDTH, mount -> Text.swaps(mount.settings()))
                .shownPairs("Options and settings", mount -> Text.without(TOLD, mount.settings()))
                .member("state", MountsCommand::state)
                .member("failure", MountsCommand::failure)
                .member("settings", Mount::settings);
        print(listing, mounts.all(), out);
    }

    static String state(Mount mount) {
        return mount.state().name().toLowerCase(Locale.ROOT);
    }

    private static String failure(Mount mount) {
        return mount.failure()
                .map(failure -> String.valueOf(failure.getMessage()))
                .orElse(null);
    }
}
