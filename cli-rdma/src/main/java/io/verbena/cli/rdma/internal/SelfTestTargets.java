package io.verbena.cli.rdma.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.CommandException;

/** Finds the targets that a user may test, and their providers. */
final class SelfTestTargets {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.%\\w]+)]|([^\\[\\]/:\\s]+))(?::(\\d{1,5}))?");
    private static final Pattern ADDRESS_AND_PORT =
            Pattern.compile("(?:(?:\\[([0-9A-Fa-f:.%\\w]+)]|([^\\[\\]/:\\s]+)):)?(\\d{1,5})");

    private final List<RdmaProvider> providers;
    private final boolean isNamed;

    /**
     * Creates an object for the chosen provider.
     *
     * @param all the present providers
     * @param name the name of the provider that the user has chosen, or auto
     */
    SelfTestTargets(List<RdmaProvider> all, String name) throws CommandException {
        isNamed = !name.equals(ProviderNames.AUTO);
        providers = all.stream()
                .filter(provider -> !isNamed || provider.name().equals(name))
                .toList();
        if (providers.isEmpty()) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    isNamed
                            ? "no provider '" + Text.printable(name) + "': there is " + names(all)
                            : "no RDMA provider is started");
        }
    }

    private static String names(List<RdmaProvider> all) {
        return all.isEmpty() ? "none" : all.stream().map(RdmaProvider::name).collect(Collectors.joining(", "));
    }

    /** A device to test: its provider and one of its addresses. */
    record Device(RdmaProvider provider, InetAddress address) {}

    /**
     * Returns the device with this name; empty if there is none.
     *
     * @throws CommandException if the device has no address to connect to
     */
    Optional<Device> device(String name) throws IOException, CommandException {
        for (RdmaProvider provider : providers) {
            for (RdmaDevice device : provider.devices()) {
                if (device.name().equals(name)) {
                    return Optional.of(new Device(provider, addressOf(device)));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns an address of the device. IPv4 addresses are preferred, then IPv6 addresses that are not link-local. */
    private static InetAddress addressOf(RdmaDevice device) throws IOException, CommandException {
        InetAddress best = null;
        for (String text :
                Arrays.asList(device.attributes().getOrDefault("addresses", "").split(","))) {
            if (!text.isBlank()) {
                InetAddress address = InetAddress.getByName(text.strip());
                best = best == null || rank(address) > rank(best) ? address : best;
            }
        }
        if (best == null) {
            throw new CommandException("device '" + Text.printable(device.name())
                    + "' has no IP address to connect to: give its network interface one");
        }
        return best;
    }

    private static int rank(InetAddress address) {
        return address instanceof Inet4Address ? 2 : address.isLinkLocalAddress() ? 0 : 1;
    }

    /**
     * Parses {@code HOST[:PORT]}. A plain word that is not a device is rejected, because it is probably a misspelt
     * device.
     */
    InetSocketAddress remote(String text) throws CommandException {
        Matcher parts = HOST_AND_PORT.matcher(text);
        boolean isPlainWord = !text.contains(":") && !text.contains(".");
        if (!parts.matches() || isPlainWord) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "no device '" + Text.printable(text) + "': there is " + devices()
                            + "; another machine is HOST:PORT");
        }
        String host = parts.group(1) != null ? parts.group(1) : parts.group(2);
        return address(host, parts.group(3) == null ? SelfTest.DEFAULT_PORT : port(parts.group(3)));
    }

    private String devices() {
        String names = providers.stream()
                .flatMap(provider -> provider.devices().stream())
                .map(RdmaDevice::name)
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "none" : names;
    }

    /** Parses {@code [ADDRESS:]PORT}. Without an address, the result means all addresses of this machine. */
    static InetSocketAddress local(String text) throws CommandException {
        Matcher parts = ADDRESS_AND_PORT.matcher(text);
        if (!parts.matches()) {
            throw new CommandFailure(ExitStatus.USAGE, "'" + Text.printable(text) + "' is no [ADDRESS:]PORT");
        }
        String host = parts.group(1) != null ? parts.group(1) : parts.group(2);
        int port = port(parts.group(3));
        return host == null ? new InetSocketAddress(port) : address(host, port);
    }

    private static int port(String digits) throws CommandException {
        int port = Integer.parseInt(digits);
        if (port > 0xffff) {
            throw new CommandFailure(ExitStatus.USAGE, "there is no port " + port);
        }
        return port;
    }

    private static InetSocketAddress address(String host, int port) throws CommandException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new CommandFailure(ExitStatus.NO_CONNECTION, "unknown host " + Text.printable(host));
        }
        return address;
    }

    /** Returns the provider to connect with. A device with a route to the address is preferred to software. */
    RdmaProvider providerTo(InetSocketAddress remote) throws CommandException {
        if (isNamed) {
            return providers.get(0);
        }
        return providers.stream()
                // Software is last. The order of the other providers does not change.
                .sorted(Comparator.comparing(ProviderNames::isSoftware))
                .filter(provider -> provider.reaches(remote))
                .findFirst()
                .orElseThrow(
                        () -> new CommandFailure(ExitStatus.NO_CONNECTION, "no provider has a route to " + remote));
    }

    /**
     * Returns the provider to listen with. Unless the user has chosen another provider, it is the one in software, as
     * for exports.
     */
    RdmaProvider providerToListen() throws CommandException {
        return providers.stream()
                .filter(provider -> isNamed || ProviderNames.isSoftware(provider))
                .findFirst()
                .orElseThrow(() -> new CommandFailure(
                        ExitStatus.NO_CONNECTION,
                        "the RDMA provider '" + ProviderNames.SOFTWARE
                                + "', with which a test listens by itself, is not started: start it, or name another"
                                + " with --provider: " + names(providers)));
    }
}
