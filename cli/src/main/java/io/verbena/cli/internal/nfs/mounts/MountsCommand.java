package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
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
            Memory is what the mount's buffers hold now; rdma:memory lists all who hold some. Swaps are the times \
            that the mount's connection was replaced under it, because a bundle below went or rdma:reconnect asked \
            for it.

            Example: nfs:mounts
                     nfs:mounts --json""")
public final class MountsCommand extends ListingCommand {
    /** The settings that other columns show. */
    private static final Set<String> TOLD = Stream.concat(
                    Stream.of("provider", "providerChoice", "device"), Text.OF_SWAPS.stream())
            .collect(Collectors.toSet());

    /** The shortest silence that is shown, because an answer may take a moment. */
    private static final Duration SHOWN_SILENCE = Duration.ofSeconds(2);

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException {
        Listing<Mount> listing = new Listing<Mount>(Listing.Layout.TABLE, "nothing is mounted")
                .text("Name", Mount::name)
                .text("Source", Mount::source)
                .shown("State", 0, MountsCommand::fullState)
                .shown("Provider", Text.PROVIDER_WIDTH, mount -> Text.provider(mount.settings()))
                .octets("Memory", MountsCommand::memory)
                .shown("Swaps", Text.SWAPS_WIDTH, mount -> Text.swaps(mount.settings()))
                .shownPairs("Options and settings", mount -> Text.without(TOLD, mount.settings()))
                .member("state", MountsCommand::state)
                .member("failure", MountsCommand::failure)
                .member("silentSince", MountsCommand::silentSince)
                .member("settings", Mount::settings);
        print(listing, mounts.all(), out);
    }

    /** Returns the octets of the buffers of a mount; null for a mount that is not usable. */
    private static Long memory(Mount mount) {
        try {
            return mount.memory().leasedBytes();
        } catch (IOException e) {
            return null;
        }
    }

    static String state(Mount mount) {
        return mount.state().name().toLowerCase(Locale.ROOT);
    }

    private static String fullState(Mount mount) {
        String failure = mount.failure().isEmpty() ? "" : ": " + failure(mount);
        Instant now = Instant.now();
        return state(mount)
                + mount.unresponsiveServer()
                        .filter(silence -> silence.length(now).compareTo(SHOWN_SILENCE) >= 0)
                        .map(silence -> ": " + Text.silence(silence, now))
                        .orElse(failure);
    }

    private static String silentSince(Mount mount) {
        return mount.unresponsiveServer()
                .map(silence -> Text.time(silence.since()))
                .orElse(null);
    }

    private static String failure(Mount mount) {
        return mount.failure()
                .map(failure -> String.valueOf(failure.getMessage()))
                .orElse(null);
    }
}
