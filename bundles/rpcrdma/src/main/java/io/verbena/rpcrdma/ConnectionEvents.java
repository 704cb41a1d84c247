package io.verbena.rpcrdma;

/** Events about the transport's connections, sent through Event Admin where it is present. */
public final class ConnectionEvents {
    /**
     * A connection was replaced by another one, because a service below it went away or a caller asked for it. The
     * event has the properties below; durations are Longs.
     */
    public static final String SWAPPED = "io/verbena/rpcrdma/connection/SWAPPED";

    /** Property, a Long: the {@link ConnectionStatus#id}. */
    public static final String ID = "connection";

    /** Property: {@code client} or {@code server}; the other end re-establishes a server's connection. */
    public static final String ROLE = "role";

    /** Property: the peer's address. */
    public static final String REMOTE = "remote";

    /** Property: the reason for people to read, such as {@code framing of Version 2 went}. */
    public static final String REASON = "reason";

    /** Property: a line for people to read, the same as in the log. */
    public static final String MESSAGE = "message";

    /** Property: how long the transport waited for calls under way. */
    public static final String DRAIN_MILLIS = "drainMillis";

    /** Property: the time from the end of the drain until the new connection was established; absent for a server. */
    public static final String PAUSE_MILLIS = "pauseMillis";

    /** Property, an Integer: the number of calls without a reply that were retransmitted; absent for a server. */
    public static final String REPLAYED = "replayed";

    /** Property, an Integer: the RPC-over-RDMA version of the old connection. */
    public static final String OLD_VERSION = "oldVersion";

    /**
     * Property, an Integer: the RPC-over-RDMA version that the new connection begins with; the peer may speak a lower
     * one. Absent for a server.
     */
    public static final String VERSION = "version";

    private ConnectionEvents() {}
}
