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

    /** Setting: why it is that provider, for people to read. Given back as an option it is said again. */
    static final String REASON = "providerChoice";

    /** The reason where a provider was asked for by name. */
    static final String AS_ASKED = "asked for";

    private static final String BY_AUTO = TransportOptions.AUTO + ": ";

    /** What is settled: null while auto has the choice. */
    private volatile Settled settled;

    /**
     * @param name the provider's
     * @param reason for people to read
     */
    private record Settled(String name, String reason) {}

    /** What {@code auto} finds on its way to an address. */
    enum Finding {
        /** The provider has a device with a route. */
        HAS_ROUTE,
        /** There are providers of devices, and none of them has one with a route. */
        NO_ROUTE,
        /** There is no provider of devices. */
        NO_DEVICES
    }

    ProviderChoice(TransportOptions options) {
        if (!options.provider().equals(TransportOptions.AUTO)) {
            settled = new Settled(options.provider(), options.providerReason());
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
        return present != null && present.reason.startsWith(BY_AUTO);
    }

    /** Why it is the provider that is kept; only where one is. */
    String reason() {
        return settled.reason;
    }

    /** A connection stands: its provider is kept. */
    void settle(RdmaProvider provider, RdmaConnection connection, Finding finding) {
        if (settled != null) {
            return;
        }
        String reason =
                switch (finding) {
                    case HAS_ROUTE ->
                        connection.settings().getOrDefault("device", "provider " + provider.name()) + " has a route";
                    case NO_ROUTE -> "no device has a route";
                    case NO_DEVICES -> "there is no provider of devices";
                };
        settled = new Settled(provider.name(), BY_AUTO + reason);
    }

    /** What is settled, for people to read; empty while nothing is. */
    Map<String, String> settings() {
        Settled present = settled;
        Map<String, String> all = new LinkedHashMap<>();
        if (present != null) {
            all.put(PROVIDER, present.name);
            all.put(REASON, present.reason);
        }
        return all;
    }
}
