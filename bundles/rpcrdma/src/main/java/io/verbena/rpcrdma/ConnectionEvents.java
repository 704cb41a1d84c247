package io.verbena.rpcrdma;

/** Events about the transport's connections, sent through Event Admin where that is there. */
public final class ConnectionEvents {
    /**
     * Another connection has taken the place of one, because a service below it has gone or somebody asked for it. Its
     * properties are those below; durations are Longs.
     */
    public static final String SWAPPED = "io/verbena/rpcrdma/connection/SWAPPED";

    /** Property, a Long: the {@link ConnectionStatus#id}. */
    public static final String ID = "connection";

    /** Property: {@code client} or {@code server}; a server's connection is made again by the other end. */
    public static final String ROLE = "role";

    /** Property: the peer's address. */
    public static final String REMOTE = "remote";

    /** Property: why, for people to read, as {@code framing of Version 2 went}. */
    public static final String REASON = "reason";

    /** Property: a line for people, the same as in the log. */
    public static final String MESSAGE = "message";

    /** Property: how long calls under way were waited for. */
    public static final String DRAIN_MILLIS = "drainMillis";

    /** Property: from the end of the drain until the new connection stood; absent for a server's. */
    public static final String PAUSE_MILLIS = "pauseMillis";

    /** Property, an Integer: calls without a reply that were sent again; absent for a server's. */
    public static final String REPLAYED = "replayed";

    /** Property, an Integer: the version of RPC-over-RDMA before. */
    public static final String OLD_VERSION = "oldVersion";

    /** Property, an Integer: the version of RPC-over-RDMA that it begins with, though the peer may turn out to speak
     * a lower one; absent for a server's. */
    public static final String VERSION = "version";

    private ConnectionEvents() {}
}
