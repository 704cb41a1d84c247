package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaProvider;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which provider carries the connections of one client, and why. A provider that was asked for by name is never
 * exchanged for another. The provider that {@code auto} takes is settled by the first connection that stands, and kept
 * from then on: a mount does not change its provider while it is in use. Thread safe.
 */
public final class ProviderChoice {
    /** Setting: the provider's name. */
    public static final String PROVIDER = "provider";

    /** Setting: why it is that provider, for people to read. */
    public static final String REASON = "providerChoice";

    /** The reason where a provider was asked for by name. */
    public static final String AS_ASKED = "asked for";

    /** The choice, null while it is open to {@code auto}. */
    private volatile Settled settled;

    /**
     * @param name the name of the provider
     * @param auto the finding of {@code auto}, null where the provider was asked for by name
     */
    private record Settled(String name, ByAuto auto) {
        String reason() {
            return auto == null ? AS_ASKED : "auto: " + auto.reason();
        }
    }

    /** What {@code auto} finds when it looks for a route to an address. */
    public enum Finding {
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

    public ProviderChoice(TransportOptions options) {
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
    public void settle(RdmaProvider provider, RdmaConnection connection, Finding finding) {
        if (settled == null) {
            String by = connection.settings().getOrDefault("device", "provider " + provider.name());
            settled = new Settled(provider.name(), new ByAuto(finding, by));
        }
    }

    /** The choice as settings for people to read; empty while it is open. */
    public Map<String, String> settings() {
        Settled present = settled;
        Map<String, String> all = new LinkedHashMap<>();
        if (present != null) {
            all.put(PROVIDER, present.name);
            all.put(REASON, present.reason());
        }
        return all;
    }

    /** The choice of {@code auto} as transport options; empty where it is open or a name was asked for. */
    public Map<String, String> options() {
        Settled present = settled;
        return present == null || present.auto == null
                ? Map.of()
                : Map.of(PROVIDER, present.name, TransportOptions.BY_AUTO, present.auto.option());
    }
}
