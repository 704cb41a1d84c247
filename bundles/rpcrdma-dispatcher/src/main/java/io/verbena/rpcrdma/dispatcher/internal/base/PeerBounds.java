package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.verbs.ConfiguredNumber;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a peer may take, and how much memory a connection holds for a slow peer. A connection keeps the bounds that
 * were set when it was made.
 *
 * @param pullTimeout a peer that answers no RDMA Read for this long loses its connection
 * @param replyTimeout a peer that takes no reply for this long loses its connection; a provider that knows how many
 *     octets the peer takes may have ended the connection before
 * @param idleTime a connection without a message for this long may be ended in favour of a new one
 * @param firstOctets the octets that the calls of a connection may pull, and that its replies may hold, before the peer
 *     has answered a first RDMA Read or taken a first reply; each answer and each reply taken allows for more
 * @param replyOctets the most octets that the replies of a connection hold at once; a call whose reply may be long
 *     waits its turn
 */
public record PeerBounds(
        Duration pullTimeout, Duration replyTimeout, Duration idleTime, long firstOctets, long replyOctets) {
    private static final Logger LOG = LoggerFactory.getLogger(PeerBounds.class);
    private static final int MAX_MILLIS = 3_600_000;
    private static final int MIN_REPLY_OCTETS = 1 << 20;
    private static final int MAX_REPLY_OCTETS = 1 << 30;
    private static final long FIRST_OCTETS = 2 << 20;

    public static final PeerBounds DEFAULT = new PeerBounds(
            Duration.ofMillis(DispatcherConfiguration.PULL_MILLIS),
            Duration.ofMillis(DispatcherConfiguration.REPLY_MILLIS),
            Duration.ofMillis(DispatcherConfiguration.IDLE_MILLIS),
            FIRST_OCTETS,
            DispatcherConfiguration.REPLY_OCTETS);

    /** Reads the configuration. A value that makes no sense is logged and replaced by the default. */
    public static PeerBounds of(DispatcherConfiguration configuration) {
        return new PeerBounds(
                millis("pullTimeout", configuration::pullTimeout, DispatcherConfiguration.PULL_MILLIS),
                millis("replyTimeout", configuration::replyTimeout, DispatcherConfiguration.REPLY_MILLIS),
                millis("idleTimeout", configuration::idleTimeout, DispatcherConfiguration.IDLE_MILLIS),
                FIRST_OCTETS,
                number(
                        "replyBytes",
                        configuration::replyBytes,
                        MIN_REPLY_OCTETS,
                        MAX_REPLY_OCTETS,
                        DispatcherConfiguration.REPLY_OCTETS));
    }

    private static Duration millis(String key, IntSupplier configured, int otherwise) {
        return Duration.ofMillis(number(key, configured, 100, MAX_MILLIS, otherwise));
    }

    private static int number(String key, IntSupplier configured, int least, int most, int otherwise) {
        return ConfiguredNumber.read(
                key,
                configured,
                least,
                most,
                otherwise,
                warning -> LOG.warn("{}: {}", DispatcherConfiguration.PID, warning));
    }

    /** As this one, with other time limits for RDMA Reads and for replies. */
    public PeerBounds withTimeouts(Duration pull, Duration reply) {
        return new PeerBounds(pull, reply, idleTime, firstOctets, replyOctets);
    }

    /** As this one, with another idle time. */
    public PeerBounds withIdleTime(Duration time) {
        return new PeerBounds(pullTimeout, replyTimeout, time, firstOctets, replyOctets);
    }

    /** As this one, with other bounds on the octets that replies hold, at first and at most. */
    public PeerBounds withReplies(long first, long most) {
        return new PeerBounds(pullTimeout, replyTimeout, idleTime, first, most);
    }
}
