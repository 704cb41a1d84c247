package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.KerberosSettings;
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
 * @param hostsByAddress whether no host is named that may connect: then the address must be a loopback address, and
 *     this host alone may
 * @param kerberos the server by Kerberos, or null for none
 * @param complaint what is wrong with the configuration, or null
 */
public record ExportOptions(
        ExportSettings settings,
        ListenOptions listenOptions,
        boolean hostsByAddress,
        KerberosSettings kerberos,
        String complaint) {
    /** Octets of a call around WRITE's data. */
    private static final int CALL_HEADERS = 64 << 10;

    public ExportOptions(ExportSettings settings, ListenOptions listenOptions) {
        this(settings, listenOptions, false, null, null);
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
     * The same with the address to listen on looked up, where that is a name, and with the users of principals. Blocks.
     *
     * @throws UnknownHostException where the name is not known now
     * @throws OpenToOthersException where other hosts can reach the address, and none is allowed to connect
     */
    ExportOptions resolved() throws IOException {
        InetSocketAddress named = listenOptions.local();
        InetAddress address = named.isUnresolved() ? InetAddress.getByName(named.getHostString()) : named.getAddress();
        ListenOptions listen = new ListenOptions(
                new InetSocketAddress(address, named.getPort()),
                listenOptions.credits(),
                listenOptions.maxConnections(),
                listenOptions.maxCallSize(),
                listenOptions.transport());
        if (hostsByAddress && !address.isLoopbackAddress()) {
            throw new OpenToOthersException("address " + named.getHostString() + " can be reached from other hosts, and"
                    + " 'allow' does not say which of them may connect: set it to ADDRESS/BITS, as in"
                    + " 192.0.2.0/24, or to any (nfs:export --allow)");
        }
        return new ExportOptions(mapped(), listen, hostsByAddress, kerberos, complaint);
    }

    private ExportSettings mapped() throws IOException {
        ExportSecurity security = settings.security();
        return kerberos == null
                ? settings
                : settings.withSecurity(security.withMapping(kerberos.mapping(security.users())));
    }

    /** Looks no name up: see {@link #resolved}. */
    static ExportOptions of(ExportConfiguration configuration) {
        ExportNumbers numbers = new ExportNumbers(configuration);
        ExportAccess access = new ExportAccess(configuration);
        ExportSecurityOptions security = new ExportSecurityOptions(configuration, numbers.gssPort());
        ExportSettings settings = new ExportSettings(
                text(configuration.verbena_export_name(), "export"),
                Path.of(text(configuration.directory(), "")),
                configuration.readOnly(),
                squash(configuration, numbers),
                numbers.credits(),
                isOn(configuration.delegations()),
                numbers.leaseTime(),
                numbers.graceTime(),
                isOn(configuration.sync()),
                !isOn(configuration.nosuid()),
                access.rules(),
                security.security());
        ListenOptions listen = new ListenOptions(
                InetSocketAddress.createUnresolved(configuration.address(), numbers.port()),
                settings.slots(),
                numbers.maxConnections(),
                ServerLimits.MAX_IO + CALL_HEADERS,
                transport(configuration));
        String complaint = complaint(configuration)
                .or(numbers::complaint)
                .or(access::complaint)
                .or(security::complaint)
                .orElse(null);
        return new ExportOptions(settings, listen, access.namesNoHost(), security.kerberos(), complaint);
    }

    private static Optional<String> complaint(ExportConfiguration configuration) {
        if (text(configuration.directory(), "").isEmpty()) {
            return Optional.of("no 'directory' is configured");
        }
        if (text(configuration.verbena_export_name(), "").isEmpty()) {
            return Optional.of("no 'verbena.export.name' is configured");
        }
        Optional<String> switched = notSwitched("delegations", configuration.delegations())
                .or(() -> notSwitched("sync", configuration.sync()))
                .or(() -> notSwitched("nosuid", configuration.nosuid()))
                .or(() -> notSwitched("secure", configuration.secure()));
        if (switched.isPresent()) {
            return switched;
        }
        return isSquash(squashed(configuration))
                ? Optional.empty()
                : Optional.of("'squash' is none, root or all, not '" + configuration.squash() + "'");
    }

    static boolean isOn(String value) {
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
        String configured = squashed(configuration);
        Squash.Mode mode = isSquash(configured)
                ? Squash.Mode.valueOf(configured.toUpperCase(Locale.ROOT))
                : Squash.Mode.ALL; // and a complaint
        return new Squash(mode, numbers.anonuid(), numbers.anongid());
    }

    private static String squashed(ExportConfiguration configuration) {
        return text(configuration.squash(), "root");
    }

    private static Map<String, String> transport(ExportConfiguration configuration) {
        Map<String, String> options = new HashMap<>();
        options.put("inline", configuration.inline());
        options.put("crc", configuration.crc());
        options.put("invalidate", configuration.invalidate());
        options.put("poll", configuration.poll());
        options.put("provider", configuration.provider());
        options.values().removeIf(value -> text(value, "").isEmpty());
        return options;
    }

    static String text(String value, String absent) {
        return value == null || value.isBlank() ? absent : value.trim();
    }
}
