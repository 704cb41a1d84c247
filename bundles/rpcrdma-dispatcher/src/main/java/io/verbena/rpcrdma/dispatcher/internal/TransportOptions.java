package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.dispatcher.internal.ProviderChoice.ByAuto;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The transport options of a connection or listener.
 *
 * @param provider the name of the provider asked for, or {@link #AUTO}
 * @param byAuto why an earlier connection has settled on that provider, or null where its name was asked for
 * @param version the version of RPC-over-RDMA asked for, or 0 for any
 * @param local what this end is to do; see {@link #local(RdmaConnection)}
 * @param reverseChunks whether chunks are used, and taken, in the reverse direction (RFC 8167 section 5.3)
 * @param label what the connection is for, for people; empty where nobody said
 * @param providerOptions what the provider is told
 */
record TransportOptions(
        String provider,
        ByAuto byAuto,
        int version,
        LocalSettings local,
        boolean reverseChunks,
        String label,
        Map<String, String> providerOptions) {
    static final String AUTO = ProviderNames.AUTO;
    static final int ANY_VERSION = 0;

    /** What the connection is for. */
    static final String LABEL = "label";

    /** Goes from one connection to the next by {@code RpcConnection.choice}; no user gives it. */
    static final String BY_AUTO = "choice-of-auto";

    private static final int DEFAULT_INLINE = 4096;
    private static final List<String> KNOWN =
            List.of(ProviderChoice.PROVIDER, "rpcrdma", "inline", "crc", "invalidate", "reverse-chunks", LABEL);

    /**
     * @throws IllegalArgumentException naming an option that is unknown or makes no sense
     */
    static TransportOptions parse(Map<String, String> options) {
        for (String name : options.keySet()) {
            if (!KNOWN.contains(name) && !name.equals(BY_AUTO)) {
                throw new IllegalArgumentException(
                        "unknown transport option '" + name + "'; known ones are " + String.join(", ", KNOWN));
            }
        }
        int inline = inline(options.get("inline"));
        boolean invalidate = onOff("invalidate", options.getOrDefault("invalidate", "on"));
        Map<String, String> forProvider = new HashMap<>();
        if (options.containsKey("crc")) {
            forProvider.put("crc", onOff("crc", options.get("crc")) ? "on" : "off");
        }
        return new TransportOptions(
                options.getOrDefault(ProviderChoice.PROVIDER, AUTO),
                options.containsKey(BY_AUTO) ? ByAuto.parse(options.get(BY_AUTO)) : null,
                version(options.getOrDefault("rpcrdma", AUTO)),
                new LocalSettings(inline, inline, invalidate),
                onOff("reverse-chunks", options.getOrDefault("reverse-chunks", "on")),
                options.getOrDefault(LABEL, ""),
                Map.copyOf(forProvider));
    }

    /** What this end can do on a connection of a provider's: no more than that can. */
    LocalSettings local(RdmaConnection connection) {
        return local.remoteInvalidation() && !connection.remoteInvalidation()
                ? new LocalSettings(local.sendSize(), local.receiveSize(), false)
                : local;
    }

    private static int inline(String value) {
        if (value == null) {
            return DEFAULT_INLINE;
        }
        int size = number("inline", value);
        if (size < LocalSettings.MIN_SIZE || size > LocalSettings.MAX_SIZE || size % LocalSettings.MIN_SIZE != 0) {
            throw new IllegalArgumentException("transport option inline=" + value
                    + " makes no sense; it is a multiple of 1024 from 1024 to 262144");
        }
        return size;
    }

    private static int version(String value) {
        if (value.equals(AUTO)) {
            return ANY_VERSION;
        }
        int version = number("rpcrdma", value);
        if (version < 1) {
            throw new IllegalArgumentException(
                    "transport option rpcrdma=" + value + " makes no sense; it is auto or a version's number");
        }
        return version;
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("transport option " + name + "=" + value + " is not a number", e);
        }
    }

    private static boolean onOff(String name, String value) {
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default ->
                throw new IllegalArgumentException(
                        "transport option " + name + "=" + value + " makes no sense; it is on or off");
        };
    }
}
