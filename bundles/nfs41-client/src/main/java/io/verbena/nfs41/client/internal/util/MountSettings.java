package io.verbena.nfs41.client.internal.util;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.retry.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The options of a mount, checked and in the terms of the protocol. Immutable.
 *
 * @param name the mount's
 * @param server host name or address
 * @param port the server's
 * @param export the path on the server, as its components
 * @param options as given
 * @param credential of every call
 */
public record MountSettings(
        String name, String server, int port, List<String> export, MountOptions options, Credential credential) {
    /** The octets of a message beside the data of READ or WRITE: RPC header, SEQUENCE, PUTFH, the operation itself. */
    public static final int DATA_OVERHEAD = 1024;

    /**
     * The pauses before a request, a session or a lock is tried again. For a lost session they start over only if it
     * was useful for a second.
     */
    public static final RetryPolicy RETRIES = RetryPolicy.doubling(Duration.ofMillis(20), Duration.ofSeconds(5))
            .withJitter(0.25)
            .withSettled(Duration.ofSeconds(1));

    private static final int MAX_SERVER = 253;

    /** @throws IllegalArgumentException for invalid settings; its message is for users */
    public static MountSettings of(String name, String server, String export, MountOptions options) {
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
        boolean hasKeytab = !options.get(MountOption.KEYTAB).isEmpty();
        if (hasKeytab && options.get(MountOption.PRINCIPAL).isEmpty()) {
            throw new IllegalArgumentException("mount option 'keytab' wants 'principal' too: whose keys to use, one of"
                    + " klist -k " + options.get(MountOption.KEYTAB));
        }
        int port = options.number(MountOption.PORT);
        return new MountSettings(name, server.strip(), port, components, options, MountCredentials.of(options));
    }

    /** {@code host:/export}. */
    public String source() {
        return server + ":/" + String.join("/", export);
    }

    /** What {@code sec} asks for; empty where the server is asked. */
    public Optional<SecurityKind> security() {
        return SecurityKind.of(options.get(MountOption.SEC));
    }

    /** The file with the keys of {@link #principal}; empty for the ticket cache. */
    public String keytab() {
        return options.get(MountOption.KEYTAB);
    }

    public String principal() {
        return options.get(MountOption.PRINCIPAL);
    }

    /** The file of the ticket cache; empty for that of the user of this process. */
    public String ticketCache() {
        return options.get(MountOption.CCACHE);
    }

    public int rsize() {
        return options.number(MountOption.RSIZE);
    }

    public int wsize() {
        return options.number(MountOption.WSIZE);
    }

    public int slots() {
        return options.number(MountOption.SLOTS);
    }

    /** How many connections carry the mount: {@code nconnect}. */
    public int connections() {
        return options.number(MountOption.NCONNECT);
    }

    public boolean isSoft() {
        return options.isSet(MountOption.SOFT);
    }

    public boolean isReadOnly() {
        return options.isSet(MountOption.RO);
    }

    /** Whether symbolic links within a path are followed. */
    public boolean followsLinks() {
        return options.get(MountOption.LINKS).equals("on");
    }

    /** Whether delegations are asked for. */
    public boolean wantsDelegations() {
        return options.get(MountOption.DELEGATIONS).equals("on");
    }

    /** The greatest age of data that was read ahead: {@code actimeo}, or 0 with {@code noac}. */
    public long cacheNanos() {
        return options.isSet(MountOption.AC) ? TimeUnit.SECONDS.toNanos(options.number(MountOption.ACTIMEO)) : 0;
    }

    /** Whether a write returns only after the server's answer: {@code noac}, see nfs(5). */
    public boolean writesThrough() {
        return !options.isSet(MountOption.AC);
    }

    public int retrans() {
        return options.number(MountOption.RETRANS);
    }

    /** The time-out of one attempt of a call: {@code timeo}. */
    public Duration callTimeout() {
        return Duration.ofMillis(100L * options.number(MountOption.TIMEO));
    }

    /** How long to wait for a missing service of this host. */
    public Duration swapTimeout() {
        return Duration.ofSeconds(options.number(MountOption.SWAP_TIMEOUT));
    }

    /** The time-out of a call with all its retries on a soft mount: the major timeout of nfs(5). */
    public Duration majorTimeout() {
        return callTimeout().multipliedBy(retrans() + 1L);
    }

    /** The given options that concern the transport; its flags are {@code on} and {@code off}. */
    public Map<String, String> transport() {
        Map<String, String> given = new HashMap<>();
        for (MountOption option : List.of(
                MountOption.PROVIDER,
                MountOption.RPCRDMA,
                MountOption.INLINE,
                MountOption.CRC,
                MountOption.INVALIDATE,
                MountOption.REVERSE_CHUNKS,
                MountOption.POLL)) {
            String value = options.given().get(option);
            if (value != null) {
                boolean isFlag = option.kind() == MountOption.Kind.FLAG;
                given.put(option.key(), isFlag ? (options.isSet(option) ? "on" : "off") : value);
            }
        }
        return given;
    }
}
