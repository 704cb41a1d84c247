package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaProvider;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which provider carries the connections of one client, and why. One that was asked for by name is never exchanged for
 * another; what {@code auto} takes is settled by the first connection that stands, and kept from then on: a mount does
 * not change its ways while it is in use. Thread safe.
 */
final class ProviderChoice {
    /** Setting: the provider's name. */
    static final String PROVIDER = "provider";

    /** Setting: why it is that provider, for people to read. */
    static final String REASON = "providerChoice";

    /** The reason where a provider was asked for by name. */
    static final String AS_ASKED = "asked for";

    /** What is settled: null while auto has the choice. */
    private volatile Settled settled;

    /**
     * @param name the provider's
     * @param auto what auto found, null where the provider was asked for by name
     */
    private record Settled(String name, ByAuto auto) {
        String reason() {
            return auto == null ? AS_ASKED : "auto: " + auto.reason();
        }
    }

    /** What {@code auto} finds on its way to an address. */
    enum Finding {
        /** The provider has a device with a route. */
        HAS_ROUTE,
        /** There are providers of devices, and none of them has one with a route. */
        NO_ROUTE,
        /** There is no provider of devices. */
        NO_DEVICES
    }

    /**
     * What {@code auto} found for the connection that settled the choice.
     *
     * @param finding why it took that provider
     * @param by the device of the connection, or else its provider
     */
    record ByAuto(Finding finding, String by) {
        private static final char SEPARATOR = ' ';

        /** For people to read. */
        String reason() {
            return switch (finding) {
                case HAS_ROUTE -> by + " has a route";
                case NO_ROUTE -> "no device has a route";
                case NO_DEVICES -> "there is no provider of devices";
            };
        }

        /** As an option that {@link #parse} reads. */
        String option() {
            return finding.name() + SEPARATOR + by;
        }

        /** @throws IllegalArgumentException where {@link #option} has not made that */
        static ByAuto parse(String option) {
            int separator = option.indexOf(SEPARATOR);
            if (separator < 0) {
                throw new IllegalArgumentException("no choice of auto's: '" + option + "'");
            }
            return new ByAuto(Finding.valueOf(option.substring(0, separator)), option.substring(separator + 1));
        }
    }

    ProviderChoice(TransportOptions options) {
        if (!options.provider().equals(TransportOptions.AUTO)) {
            settled = new Settled(options.provider(), options.byAuto());
        }
    }

    /** The name of the provider to take, or {@code auto}. */
    String name() {
        Settled present = settled;
        return present == null ? TransportOptions.AUTO : present.name;
    }

    /** Whether auto may still take any. */
    boolean isOpen() {
        return settled == null;
    }

    /** Whether auto took the provider that is kept. */
    boolean isByAuto() {
        Settled present = settled;
        return present != null && present.auto != null;
    }

    /** Why it is the provider that is kept; only where one is. */
    String reason() {
        return settled.reason();
    }

    /** A connection is in use: its provider is kept. */
    void settle(RdmaProvider provider, RdmaConnection connection, Finding finding) {
        if (settled == null) {
            String by = connection.settings().getOrDefault("device", "provider " + provider.name());
            settled = new Settled(provider.name(), new ByAuto(finding, by));
        }
    }

    /** What is settled, for people to read; empty while nothing is. */
    Map<String, String> settings() {
        Settled present = settled;
        Map<String, String> all = new LinkedHashMap<>();
        if (present != null) {
            all.put(PROVIDER, present.name);
            all.put(REASON, present.reason());
        }
        return all;
    }

    /** What auto has settled, as transport options; empty where it has not, or was not asked. */
    Map<String, String> options() {
        Settled present = settled;
        return present == null || present.auto == null
                ? Map.of()
                : Map.of(PROVIDER, present.name, TransportOptions.BY_AUTO, present.auto.option());
    }
}
