package io.verbena.nfs41.client.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.rpc.Credential;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A mount's options, checked and in the terms of the protocol.
 *
 * @param name the mount's
 * @param server host name or address
 * @param port the server's
 * @param export the path on the server, as its components
 * @param options as given
 * @param credential of every call
 */
record MountSettings(
        String name, String server, int port, List<String> export, MountOptions options, Credential credential) {
    /** Room in a message for all but READ's and WRITE's data: RPC header, SEQUENCE, PUTFH, the operation itself. */
    static final int DATA_OVERHEAD = 1024;

    private static final int MAX_SERVER = 253;

    /**
     * @throws IllegalArgumentException with a line for people, for what cannot be
     */
    static MountSettings of(String name, String server, String export, MountOptions options) {
        if (server == null || server.isBlank() || server.length() > MAX_SERVER) {
            throw new IllegalArgumentException("mount '" + name + "' names no server: set " + Mount.SERVER);
        }
        if (export == null || !export.startsWith("/")) {
            throw new IllegalArgumentException(
                    "export '" + export + "' of mount '" + name + "' is no absolute path: it begins with a slash");
        }
        List<String> components = PathSteps.split(export);
        if (components.contains("..")) {
            throw new IllegalArgumentException("export '" + export + "' must not hold '..'");
        }
        int port = options.number(MountOption.PORT);
        return new MountSettings(name, server.strip(), port, components, options, Credentials.of(options));
    }

    /** {@code host:/export}. */
    String source() {
        return server + ":/" + String.join("/", export);
    }

    int rsize() {
        return options.number(MountOption.RSIZE);
    }

    int wsize() {
        return options.number(MountOption.WSIZE);
    }

    int slots() {
        return options.number(MountOption.SLOTS);
    }

    boolean isSoft() {
        return options.isSet(MountOption.SOFT);
    }

    boolean isReadOnly() {
        return options.isSet(MountOption.RO);
    }

    /** Whether delegations are asked for. */
    boolean wantsDelegations() {
        return options.get(MountOption.DELEGATIONS).equals("on");
    }

    /** How old data may be that was read ahead: {@code actimeo}, or nothing with {@code noac}. */
    long cacheNanos() {
        return options.isSet(MountOption.AC) ? TimeUnit.SECONDS.toNanos(options.number(MountOption.ACTIMEO)) : 0;
    }

    /** Whether a write is answered by the server before it returns: {@code noac}, as nfs(5) has it. */
    boolean writesThrough() {
        return !options.isSet(MountOption.AC);
    }

    int retrans() {
        return options.number(MountOption.RETRANS);
    }

    /** How long one attempt of a call may take: {@code timeo}. */
    Duration callTimeout() {
        return Duration.ofMillis(100L * options.number(MountOption.TIMEO));
    }

    /** How long a service of this host's is waited for. */
    Duration swapTimeout() {
        return Duration.ofSeconds(options.number(MountOption.SWAP_TIMEOUT));
    }

    /** How long a call may take with all its retries, where they are counted. */
    Duration patience() {
        return callTimeout().multipliedBy(retrans() + 1L);
    }

    /** What the transport is told, of what was given: its flags are {@code on} and {@code off}. */
    Map<String, String> transport() {
        Map<String, String> given = new HashMap<>();
        for (MountOption option : List.of(
                MountOption.PROVIDER,
                MountOption.RPCRDMA,
                MountOption.INLINE,
                MountOption.CRC,
                MountOption.INVALIDATE,
                MountOption.REVERSE_CHUNKS)) {
            String value = options.given().get(option);
            if (value != null) {
                boolean isFlag = option.kind() == MountOption.Kind.FLAG;
                given.put(option.key(), isFlag ? (options.isSet(option) ? "on" : "off") : value);
            }
        }
        return given;
    }
}
