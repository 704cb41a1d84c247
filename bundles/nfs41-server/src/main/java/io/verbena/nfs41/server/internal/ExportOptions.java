package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.ops.ServerSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.state.ServerLimits;
import io.verbena.rpc.ListenOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A configured export.
 *
 * @param settings what is served
 * @param listenOptions where, and with what transport options
 * @param complaint what is wrong with the configuration, or null
 */
public record ExportOptions(ServerSettings settings, ListenOptions listenOptions, String complaint) {
    /** Octets of a call around WRITE's data. */
    private static final int CALL_HEADERS = 64 << 10;

    public ExportOptions(ServerSettings settings, ListenOptions listenOptions) {
        this(settings, listenOptions, null);
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

    static ExportOptions of(ExportConfiguration configuration) {
        Path directory = Path.of(text(configuration.directory(), ""));
        String name = text(configuration.verbena_export_name(), "export");
        ServerSettings settings = new ServerSettings(
                name,
                directory,
                configuration.readOnly(),
                squash(configuration),
                Math.max(1, configuration.credits()),
                Duration.ofSeconds(Math.max(5, configuration.leaseTime())),
                Duration.ofSeconds(Math.max(0, configuration.graceTime())));
        ListenOptions listen = new ListenOptions(
                new InetSocketAddress(configuration.address(), port(configuration)),
                settings.slots(),
                Math.max(1, configuration.maxConnections()),
                ServerLimits.MAX_IO + CALL_HEADERS,
                transport(configuration));
        return new ExportOptions(settings, listen, complaint(configuration));
    }

    private static String complaint(ExportConfiguration configuration) {
        if (text(configuration.directory(), "").isEmpty()) {
            return "no 'directory' is configured";
        }
        if (text(configuration.verbena_export_name(), "").isEmpty()) {
            return "no 'verbena.export.name' is configured";
        }
        if (configuration.port() != port(configuration)) {
            return "'port' is a number from 0 to 65535, not " + configuration.port();
        }
        return squashed(configuration).isEmpty() || isSquash(configuration.squash())
                ? null
                : "'squash' is none, root or all, not '" + configuration.squash() + "'";
    }

    private static int port(ExportConfiguration configuration) {
        return Math.max(0, Math.min(0xffff, configuration.port()));
    }

    private static boolean isSquash(String value) {
        return value.equals("none") || value.equals("root") || value.equals("all");
    }

    private static Squash squash(ExportConfiguration configuration) {
        Squash.Mode mode;
        if (squashed(configuration).isEmpty()) {
            // AUTH_SYS is taken at its word: on this host's own addresses squashing root alone would keep nobody out,
            // and keep the user of a shell run by root from the directory that the same shell exports
            InetAddress address = new InetSocketAddress(configuration.address(), 0).getAddress();
            boolean loopback = address != null && address.isLoopbackAddress();
            mode = loopback ? Squash.Mode.NONE : Squash.Mode.ROOT;
        } else {
            mode = isSquash(configuration.squash())
                    ? Squash.Mode.valueOf(configuration.squash().toUpperCase(Locale.ROOT))
                    : Squash.Mode.ALL;
        }
        return new Squash(mode, configuration.anonuid(), configuration.anongid());
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
