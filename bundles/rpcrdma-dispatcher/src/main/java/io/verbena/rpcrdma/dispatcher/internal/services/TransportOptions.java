package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice.ByAuto;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaConnection;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The transport options of a connection or listener.
 *
 * @param provider the name of the provider that was asked for, or {@link #AUTO}
 * @param byAuto why an earlier connection settled on that provider, or null where its name was asked for
 * @param version the version of RPC-over-RDMA that was asked for, or 0 for any
 * @param local the sizes and abilities of this end; see {@link #local(RdmaConnection)}
 * @param reverseChunks whether chunks are used, and taken, in the reverse direction (RFC 8167 section 5.3)
 * @param spoken the versions that the server has answered earlier connections of the caller in
 * @param label what the connection is for, for people to read; may be empty
 * @param providerOptions options for the provider
 */
public record TransportOptions(
        String provider,
        ByAuto byAuto,
        int version,
        LocalSettings local,
        boolean reverseChunks,
        Set<Integer> spoken,
        String label,
        Map<String, String> providerOptions) {
    public static final String AUTO = ProviderNames.AUTO;
    public static final int ANY_VERSION = 0;

    /** Option: what the connection is for, such as the name of a mount. */
    public static final String LABEL = "label";

    /**
     * Option: the choice of {@code auto}, passed from one connection to the next by {@code RpcConnection.choice}; no
     * user gives it.
     */
    static final String BY_AUTO = "choice-of-auto";

    /** Option: the versions that the server has answered in, passed on in the same way. */
    private static final String SPOKEN = "versions-spoken";

    private static final Set<String> PASSED_ON = Set.of(BY_AUTO, SPOKEN);

    /** 4 KiB of data travel in the message itself, with the headers before them. */
    private static final int DEFAULT_INLINE = 5120;

    private static final List<String> KNOWN =
            List.of(ProviderChoice.PROVIDER, "rpcrdma", "inline", "crc", "invalidate", "reverse-chunks", "poll", LABEL);

    /**
     * @throws IllegalArgumentException naming an option that is unknown or makes no sense
     */
    public static TransportOptions parse(Map<String, String> options) {
        for (String name : options.keySet()) {
            if (!KNOWN.contains(name) && !PASSED_ON.contains(name)) {
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
        if (options.containsKey("poll")) {
            forProvider.put("poll", options.get("poll"));
        }
        return new TransportOptions(
                options.getOrDefault(ProviderChoice.PROVIDER, AUTO),
                options.containsKey(BY_AUTO) ? ByAuto.parse(options.get(BY_AUTO)) : null,
                version(options.getOrDefault("rpcrdma", AUTO)),
                new LocalSettings(inline, inline, invalidate),
                onOff("reverse-chunks", options.getOrDefault("reverse-chunks", "on")),
                spoken(options.getOrDefault(SPOKEN, "")),
                options.getOrDefault(LABEL, ""),
                Map.copyOf(forProvider));
    }

    private static Set<Integer> spoken(String value) {
        return value.isEmpty()
                ? Set.of()
                : Arrays.stream(value.split(",", -1))
                        .map(version -> number(SPOKEN, version))
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** The versions that a server has answered in, for the options of the next connection to it. */
    public static Map<String, String> spoken(Set<Integer> versions) {
        return versions.isEmpty()
                ? Map.of()
                : Map.of(SPOKEN, versions.stream().sorted().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** The abilities of this end on a connection: no more than those of its provider. */
    public LocalSettings local(RdmaConnection connection) {
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
