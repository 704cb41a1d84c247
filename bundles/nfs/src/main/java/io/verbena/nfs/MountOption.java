package io.verbena.nfs;

import java.util.List;

/**
 * The options of {@code -o} that have an effect. An option that mount.nfs has too has its name from nfs(5). This is the
 * only list of such options: shell commands explain and complete options from it, and clients read configurations by it
 * through {@link MountOptions}, which takes the other options of mount.nfs as well.
 */
public enum MountOption {
    PROTO("proto", "transport", "rdma", Kind.CHOICE, "rdma"),
    PORT("port", "the server's port", 20049, 1, 65535),
    VERS("vers", "NFS version", "4.1", Kind.CHOICE, "4.1"),
    RSIZE("rsize", "the most octets a READ asks for", 1048576, 1024, 1048576),
    WSIZE("wsize", "the most octets a WRITE carries", 1048576, 1024, 1048576),
    TIMEO("timeo", "tenths of a second until a call without a reply is tried again", 300, 1, 6000),
    RETRANS("retrans", "how often a call of a soft mount is tried again before it fails", 3, 0, 100),
    SOFT("soft", "calls fail when the server does not answer; hard: they are tried without end", true, "hard"),
    SWAP_TIMEOUT("swapTimeout", "seconds that calls wait for a missing bundle before they fail", 30, 1, 3600),
    SEC(
            "sec",
            "security flavor; auto takes sys, and what the server asks for where it takes no sys",
            "auto",
            Kind.CHOICE,
            "auto sys none krb5 krb5i krb5p"),
    KEYTAB("keytab", "the file with the keys of principal, for Kerberos without a person", "", Kind.TEXT, ""),
    PRINCIPAL("principal", "whose keys of the keytab are used, as user@REALM", "", Kind.TEXT, ""),
    CCACHE("ccache", "the file of the Kerberos ticket cache; by default that of the user", "", Kind.TEXT, ""),
    UID("uid", "the user that calls are made as; by default the user of this process", "", Kind.TEXT, ""),
    GID("gid", "the group that calls are made as; by default the group of this process", "", Kind.TEXT, ""),
    GROUPS("groups", "up to 16 further groups, separated by colons", "", Kind.TEXT, ""),
    MACHINE("machine", "the host name that is sent to the server", "", Kind.TEXT, ""),
    SLOTS("slots", "the most requests in flight at once", 64, 1, 1024),
    NCONNECT("nconnect", "the connections of the mount, which share its requests", 1, 1, 16),
    RO("ro", "the mount is read-only; rw: files may be written", false, "rw"),
    AC(
            "ac",
            "data read ahead and listings are used for a while; noac: never, and each write waits for the server",
            true,
            "noac"),
    ACTIMEO("actimeo", "seconds for which data read ahead and listings are used", 3, 0, 3600),
    LINKS(
            "links",
            "symbolic links within a path are followed; off: they are refused, for a caller who follows them himself",
            "on",
            Kind.CHOICE,
            "on off"),
    DELEGATIONS("delegations", "the server is asked to delegate files to this client", "on", Kind.CHOICE, "on off"),
    PROVIDER(
            "provider",
            "the RDMA provider; auto takes native if a device has a route to the server, else iwarp",
            "auto",
            Kind.TEXT,
            "auto native iwarp"),
    RPCRDMA("rpcrdma", "RPC-over-RDMA version; auto takes the best available", "auto", Kind.CHOICE, "auto 1 2"),
    INLINE("inline", "the longest inline message, in octets, a multiple of 1024", 5120, 1024, 262144),
    CRC("crc", "iWARP's checksums are on; nocrc: off if the peer agrees", true, "nocrc"),
    INVALIDATE("invalidate", "remote invalidation is offered; noinvalidate: it is not", true, "noinvalidate"),
    REVERSE_CHUNKS("reverse-chunks", "calls that the server makes may have chunks", "on", Kind.CHOICE, "on off"),
    POLL("poll", "microseconds that a connection looks for what comes before it waits", 0, 0, 1_000_000);

    /** The kinds of values. */
    public enum Kind {
        /** A key without a value; the opposite is a key too. */
        FLAG,
        /** A whole number within bounds. */
        NUMBER,
        /** One of a list of words. */
        CHOICE,
        /** Any word; some options have a list of known words. */
        TEXT
    }

    private final String key;
    private final String meaning;
    private final String defaultValue;
    private final Kind kind;
    private final String words;
    private final int min;
    private final int max;

    MountOption(String key, String meaning, boolean defaultValue, String opposite) {
        this(key, meaning, String.valueOf(defaultValue), Kind.FLAG, opposite, 0, 0);
    }

    MountOption(String key, String meaning, int defaultValue, int min, int max) {
        this(key, meaning, String.valueOf(defaultValue), Kind.NUMBER, "", min, max);
    }

    MountOption(String key, String meaning, String defaultValue, Kind kind, String words) {
        this(key, meaning, defaultValue, kind, words, 0, 0);
    }

    MountOption(String key, String meaning, String defaultValue, Kind kind, String words, int min, int max) {
        this.key = key;
        this.meaning = meaning;
        this.defaultValue = defaultValue;
        this.kind = kind;
        this.words = words;
        this.min = min;
        this.max = max;
    }

    /** The name in {@code -o}. */
    public String key() {
        return key;
    }

    /** What the option sets, for people. */
    public String meaning() {
        return meaning;
    }

    /** The value if the option is not given; {@code true} or {@code false} for a flag. */
    public String defaultValue() {
        return defaultValue;
    }

    public Kind kind() {
        return kind;
    }

    /** The allowed words of a CHOICE, the opposite key of a FLAG, or the known words of a TEXT, if any. */
    public List<String> words() {
        return words.isEmpty() ? List.of() : List.of(words.split(" ", -1));
    }

    /** The smallest value of a NUMBER. */
    public int min() {
        return min;
    }

    /** The largest value of a NUMBER. */
    public int max() {
        return max;
    }
}
