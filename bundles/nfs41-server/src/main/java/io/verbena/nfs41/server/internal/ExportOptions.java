package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.session.ServerLimits;
import io.verbena.rpc.ListenOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A configured export.
 *
 * @param settings what is served
 * @param listenOptions where, and with what transport options
 * @param squashByAddress whether the address, once it is known, decides whom to squash, and not the settings
 * @param complaint what is wrong with the configuration, or null
 */
public record ExportOptions(
        ExportSettings settings, ListenOptions listenOptions, boolean squashByAddress, String complaint) {
    /** Octets of a call around WRITE's data. */
    private static final int CALL_HEADERS = 64 << 10;

    public ExportOptions(ExportSettings settings, ListenOptions listenOptions) {
        this(settings, listenOptions, false, null);
    }

    String name() {
        return settings.name();
    }

    /** @throws IOException telling what is wrong with the configuration */
    void validate() throws IOException {
        if (complaint != null) {
            throw new IOException(complaint);
        }
    }

    /**
     * The same with the address to listen on looked up, where that is a name. Blocks.
     *
     * @throws UnknownHostException where the name is not known now
     */
    ExportOptions resolved() throws UnknownHostException {
        InetSocketAddress named = listenOptions.local();
        InetAddress address = named.isUnresolved() ? InetAddress.getByName(named.getHostString()) : named.getAddress();
        ListenOptions listen = new ListenOptions(
                new InetSocketAddress(address, named.getPort()),
                listenOptions.credits(),
                listenOptions.maxConnections(),
                listenOptions.maxCallSize(),
                listenOptions.transport());
        if (!squashByAddress) {
            return new ExportOptions(settings, listen, false, complaint);
        }
        // AUTH_SYS is taken at its word: on this host's own addresses squashing root alone would keep nobody out,
        // and keep the user of a shell run by root from the directory that the same shell exports
        Squash.Mode mode = address.isLoopbackAddress() ? Squash.Mode.NONE : Squash.Mode.ROOT;
        Squash squash = new Squash(
                mode, settings.squash().anonymousUid(), settings.squash().anonymousGid());
        return new ExportOptions(settings.withSquash(squash), listen, false, complaint);
    }

    /** Looks no name up: see {@link #resolved}. */
    static ExportOptions of(ExportConfiguration configuration) {
        ExportNumbers numbers = new ExportNumbers(configuration);
        ExportSettings settings = new ExportSettings(
                text(configuration.verbena_export_name(), "export"),
                Path.of(text(configuration.directory(), "")),
                configuration.readOnly(),
                squash(configuration, numbers),
                numbers.credits(),
                isOn(configuration.delegations()),
                numbers.leaseTime(),
                numbers.graceTime(),
                isOn(configuration.sync()));
        ListenOptions listen = new ListenOptions(
                InetSocketAddress.createUnresolved(configuration.address(), numbers.port()),
                settings.slots(),
                numbers.maxConnections(),
                ServerLimits.MAX_IO + CALL_HEADERS,
                transport(configuration));
        boolean squashByAddress = squashed(configuration).isEmpty();
        String complaint = complaint(configuration).or(numbers::complaint).orElse(null);
        return new ExportOptions(settings, listen, squashByAddress, complaint);
    }

    private static Optional<String> complaint(ExportConfiguration configuration) {
        if (text(configuration.directory(), "").isEmpty()) {
            return Optional.of("no 'directory' is configured");
        }
        if (text(configuration.verbena_export_name(), "").isEmpty()) {
            return Optional.of("no 'verbena.export.name' is configured");
        }
        Optional<String> switched = notSwitched("delegations", configuration.delegations())
                .or(() -> notSwitched("sync", configuration.sync()));
        if (switched.isPresent()) {
            return switched;
        }
        return squashed(configuration).isEmpty() || isSquash(configuration.squash())
                ? Optional.empty()
                : Optional.of("'squash' is none, root or all, not '" + configuration.squash() + "'");
    }

    private static boolean isOn(String value) {
        return !text(value, "on").equals("off");
    }

    private static Optional<String> notSwitched(String key, String value) {
        String given = text(value, "on");
        return given.equals("on") || given.equals("off")
                ? Optional.empty()
                : Optional.of("'" + key + "' is on or off, not '" + given + "'");
    }

    private static boolean isSquash(String value) {
        return value.equals("none") || value.equals("root") || value.equals("all");
    }

    private static Squash squash(ExportConfiguration configuration, ExportNumbers numbers) {
        // where none is configured, the address decides later
        Squash.Mode mode = isSquash(squashed(configuration))
                ? Squash.Mode.valueOf(squashed(configuration).toUpperCase(Locale.ROOT))
                : Squash.Mode.ALL;
        return new Squash(mode, numbers.anonuid(), numbers.anongid());
    }

    private static String squashed(ExportConfiguration configuration) {
        return text(configuration.squash(), "");
    }

    private static Map<String, String> transport(ExportConfiguration configuration) {
        Map<String, String> options = new HashMap<>();
        options.put("inline", configuration.inline());
        options.put("crc", configuration.crc());
        options.put("invalidate", configuration.invalidate());
        options.put("provider", configuration.provider());
        options.values().removeIf(value -> text(value, "").isEmpty());
        return options;
    }

    private static String text(String value, String absent) {
        return value == null || value.isBlank() ? absent : value.trim();
    }
}
