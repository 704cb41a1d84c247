package io.verbena.cli.rdma.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Text;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Lists devices. */
@Service
@Command(
        scope = "rdma",
        name = "devices",
        description = "Lists RDMA devices",
        detailedDescription =
                """
            Of all providers that are there; those in software need no hardware. Registration is how a device opens \
            memory to peers, and why in that way. With -l, or of the devices that are named, all that is known.

            Example: rdma:devices
                     rdma:devices -l rxe0""")
public final class DevicesCommand extends ListingCommand {
    private static final int ADDRESSES_WIDTH = 40;
    private static final int LIMITS_WIDTH = 32;

    @Option(name = "-l", aliases = "--long", description = "All attributes, one a line")
    private boolean all;

    @Argument(name = "DEVICE", description = "Only these; with all attributes", multiValued = true)
    @Completion(DeviceNameCompleter.class)
    private List<String> names;

    @Reference
    private RdmaServices services;

    /** A device and its provider. */
    private record Found(RdmaProvider provider, RdmaDevice device) {
        String state() {
            return device.active() ? "active" : "down";
        }
    }

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        List<Found> found = found();
        if (names != null) {
            found = named(found);
        }
        print((all || names != null) && !found.isEmpty() ? details() : table(), found, out);
    }

    private List<Found> found() {
        List<Found> found = new ArrayList<>();
        for (RdmaProvider provider : services.providers()) {
            provider.devices().forEach(device -> found.add(new Found(provider, device)));
        }
        return found;
    }

    private List<Found> named(List<Found> found) throws CommandException {
        List<Found> named = new ArrayList<>();
        for (String name : names) {
            int before = named.size();
            found.stream().filter(each -> each.device.name().equals(name)).forEach(named::add);
            if (named.size() == before) {
                String known =
                        found.stream().map(each -> each.device.name()).sorted().collect(Collectors.joining(", "));
                throw new CommandFailure(
                        ExitStatus.NOT_FOUND,
                        "no RDMA device '" + Text.printable(name) + "': there is "
                                + (known.isEmpty() ? "none" : Text.printable(known)));
            }
        }
        return named;
    }

    private static Listing<Found> table() {
        Listing<Found> listing = new Listing<Found>(
                        Listing.Layout.TABLE, "no RDMA device: no provider is started, or none has one")
                .shown("Provider", 0, each -> each.provider.name())
                .shown("Device", 0, each -> each.device.name())
                .shown("Transport", 0, each -> each.device.transport())
                .shown("State", 0, Found::state)
                .shown("Addresses", ADDRESSES_WIDTH, each -> addresses(each.device.attributes()))
                .shown("Registration", LIMITS_WIDTH, each -> registration(each.device.attributes()))
                .shown("Limits", LIMITS_WIDTH, each -> limits(each.device.attributes()));
        return members(listing);
    }

    private static Listing<Found> details() {
        Listing<Found> listing = new Listing<Found>(Listing.Layout.DETAILS)
                .shown("device", 0, each -> each.device.name())
                .shown("provider", 0, each -> each.provider.name())
                .shown("transport", 0, each -> each.device.transport())
                .shown("state", 0, Found::state)
                .shownPairs("attributes", each -> each.device.attributes());
        return members(listing);
    }

    private static Listing<Found> members(Listing<Found> listing) {
        return listing.member("provider", each -> each.provider.name())
                .member("device", each -> each.device.name())
                .member("transport", each -> each.device.transport())
                .member("state", Found::state)
                .member("attributes", each -> each.device.attributes());
    }

    /**
     * Returns the addresses of the ports or of the network interface, from the attributes for addresses and for the
     * GIDs of a port.
     */
    private static String addresses(Map<String, String> attributes) {
        return attributes.entrySet().stream()
                .filter(entry ->
                        entry.getKey().equals("addresses") || entry.getKey().endsWith("gids"))
                .map(Map.Entry::getValue)
                .filter(value -> !value.isEmpty())
                .map(Text::printable)
                .collect(Collectors.joining(", "));
    }

    private static String registration(Map<String, String> attributes) {
        String how = attributes.get("registration");
        String why = attributes.get("registration_reason");
        return Text.printable(how == null ? "-" : why == null ? how : how + ": " + why);
    }

    private static String limits(Map<String, String> attributes) {
        return attributes.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("max_"))
                .map(entry -> Text.printable(entry.getKey().substring("max_".length()) + "=" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
