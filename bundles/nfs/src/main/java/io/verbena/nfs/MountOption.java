package io.verbena.nfs;

import java.util.List;

/**
 * What {@code -o} of a mount knows; the names are mount.nfs's own (nfs(5)) where it has one. This is the only list of
 * them: shell commands explain and complete from it, clients read a configuration by it through {@link MountOptions}.
 */
public enum MountOption {
    PROTO("proto", "transport", "rdma", Kind.CHOICE, "rdma"),
    PORT("port", "the server's port", 20049, 1, 65535),
    VERS("vers", "NFS version", "4.1", Kind.CHOICE, "4.1"),
    RSIZE("rsize", "the most octets a READ asks for", 1048576, 1024, 1048576),
    WSIZE("wsize", "the most octets a WRITE carries", 1048576, 1024, 1048576),
    TIMEO("timeo", "tenths of a second until a call without a reply is tried again", 300, 1, 6000),
    RETRANS("retrans", "how often a call is tried again before it fails, where soft", 2, 0, 100),
    SOFT("soft", "calls fail when the server stays away; hard: they go on trying", true, "hard"),
    SWAP_TIMEOUT("swapTimeout", "seconds to wait for a bundle that is missing, until calls fail", 30, 1, 3600),
    SEC("sec", "security flavor", "sys", Kind.CHOICE, "sys none"),
    UID("uid", "the user that calls are made as; without it, the one that this process runs as", "", Kind.TEXT, ""),
    GID("gid", "the user's group; without it, the one that this process runs as", "", Kind.TEXT, ""),
    GROUPS("groups", "up to 16 further groups, separated by colons", "", Kind.TEXT, ""),
    MACHINE("machine", "the host name that the server is told", "", Kind.TEXT, ""),
    SLOTS("slots", "the most requests in flight at once", 64, 1, 1024),
    RO("ro", "nothing is written; rw: it may be", false, "rw"),
    AC(
            "ac",
            "what was read ahead or listed is used for a while; noac: nothing is, and each write waits for the server",
            true,
            "noac"),
    ACTIMEO("actimeo", "seconds for which what was read ahead or listed is used", 3, 0, 3600),
    DELEGATIONS("delegations", "the server is asked to delegate files to this client", "on", Kind.CHOICE, "on off"),
    PROVIDER(
            "provider",
            "the RDMA provider; auto takes native where a device has a route to the server, else iwarp",
            "auto",
            Kind.TEXT,
            "auto native iwarp"),
    RPCRDMA("rpcrdma", "RPC-over-RDMA version; auto takes the best that is there", "auto", Kind.CHOICE, "auto 1 2"),
    INLINE("inline", "the longest inline message, in octets, a multiple of 1024", 4096, 1024, 262144),
    CRC("crc", "iWARP's checksums are on; nocrc: off where the peer agrees", true, "nocrc"),
    INVALIDATE("invalidate", "remote invalidation is offered; noinvalidate: it is not", true, "noinvalidate"),
    REVERSE_CHUNKS("reverse-chunks", "calls that the server makes may have chunks", "on", Kind.CHOICE, "on off");

    /** The kinds of values. */
    public enum Kind {
        /** No value: the key stands alone, and so does its opposite. */
        FLAG,
        /** A whole number within bounds. */
        NUMBER,
        /** One of some words. */
        CHOICE,
        /** Any word; some options have known ones. */
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

    /** What it sets, for people to read. */
    public String meaning() {
        return meaning;
    }

    /** What holds where it is not given: a value, or {@code true} or {@code false} of a flag. */
    public String defaultValue() {
        return defaultValue;
    }

    public Kind kind() {
        return kind;
    }

    /** Of a CHOICE the words allowed, of a FLAG the key of its opposite, of a TEXT the words known, if any. */
    public List<String> words() {
        return words.isEmpty() ? List.of() : List.of(words.split(" ", -1));
    }

    /** The least NUMBER. */
    public int min() {
        return min;
    }

    /** The greatest NUMBER. */
    public int max() {
        return max;
    }
}
