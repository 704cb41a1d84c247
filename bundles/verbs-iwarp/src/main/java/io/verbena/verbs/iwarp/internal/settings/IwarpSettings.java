package io.verbena.verbs.iwarp.internal.settings;

import io.verbena.verbs.ConfiguredNumber;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * The configuration of the provider; see {@link IwarpConfiguration}.
 *
 * @param defaults the options for a connection that does not set them
 * @param handshakeTimeout the time in which a peer that has connected must send its MPA request
 * @param maxPendingHandshakes the most handshakes of one listener at once
 * @param sendTimeout the time in which a peer must take at least one octet of what is sent to it
 * @param keepAlive the time without traffic after which TCP probes the peer, and then waits as long for an answer;
 *     zero: never
 * @param maxSegment the longest FPDU, in octets; 0: what fits a segment of the interface
 * @param sendBuffer the send buffer of the socket, in octets; 0: the system's default
 * @param receiveBuffer the receive buffer of the socket, in octets; 0: the system's default
 */
public record IwarpSettings(
        IwarpOptions defaults,
        Duration handshakeTimeout,
        int maxPendingHandshakes,
        Duration sendTimeout,
        Duration keepAlive,
        int maxSegment,
        int sendBuffer,
        int receiveBuffer) {
    /** The provider's name, which users and observers know it by. */
    public static final String PROVIDER = "iwarp";

    /** The default settings. */
    public static final IwarpSettings DEFAULT = new IwarpSettings(
            new IwarpOptions(true, ReadyMode.READ, IwarpConfiguration.SETTLE_MILLIS),
            Duration.ofSeconds(IwarpConfiguration.HANDSHAKE_SECONDS),
            IwarpConfiguration.MAX_PENDING_HANDSHAKES,
            Duration.ofSeconds(IwarpConfiguration.SEND_SECONDS),
            Duration.ofSeconds(IwarpConfiguration.KEEPALIVE_SECONDS),
            0,
            0,
            0);

    private static final int MAX_SETTLE_MILLIS = 10_000;
    private static final int MAX_HANDSHAKE_SECONDS = 3600;
    private static final int MAX_SEND_SECONDS = 3600;
    private static final int MAX_KEEPALIVE_SECONDS = 7200;

    /** A bound, since each handshake has a thread. */
    private static final int MOST_PENDING_HANDSHAKES = 4096;

    private static final int MAX_SEGMENT = 0xffff;

    /** Reads the configuration. A value that cannot be used is replaced by its default, with a warning in the log. */
    public static IwarpSettings of(IwarpConfiguration configuration) {
        int settle =
                number("settle.ms", configuration::settle_ms, 0, MAX_SETTLE_MILLIS, DEFAULT.defaults.settleMillis());
        int handshake = number(
                "handshake.timeout.s",
                configuration::handshake_timeout_s,
                1,
                MAX_HANDSHAKE_SECONDS,
                IwarpConfiguration.HANDSHAKE_SECONDS);
        return new IwarpSettings(
                new IwarpOptions(
                        configuration.crc(),
                        ReadyMode.READ,
                        settle,
                        number("poll.us", configuration::poll_us, 0, IwarpOptions.MAX_POLL_MICROS, 0)),
                Duration.ofSeconds(handshake),
                number(
                        "max.pending.handshakes",
                        configuration::max_pending_handshakes,
                        1,
                        MOST_PENDING_HANDSHAKES,
                        DEFAULT.maxPendingHandshakes),
                Duration.ofSeconds(number(
                        "send.timeout.s",
                        configuration::send_timeout_s,
                        1,
                        MAX_SEND_SECONDS,
                        IwarpConfiguration.SEND_SECONDS)),
                Duration.ofSeconds(number(
                        "keepalive.s",
                        configuration::keepalive_s,
                        0,
                        MAX_KEEPALIVE_SECONDS,
                        IwarpConfiguration.KEEPALIVE_SECONDS)),
                number("max.segment", configuration::max_segment, 0, MAX_SEGMENT, 0),
                number("send.buffer", configuration::send_buffer, 0, Integer.MAX_VALUE, 0),
                number("receive.buffer", configuration::receive_buffer, 0, Integer.MAX_VALUE, 0));
    }

    /** These settings with other timeouts. */
    public IwarpSettings withTimeouts(Duration handshake, Duration send) {
        return new IwarpSettings(
                defaults, handshake, maxPendingHandshakes, send, keepAlive, maxSegment, sendBuffer, receiveBuffer);
    }

    /** These settings with other options for a connection that does not set them. */
    public IwarpSettings withDefaults(IwarpOptions options) {
        return new IwarpSettings(
                options,
                handshakeTimeout,
                maxPendingHandshakes,
                sendTimeout,
                keepAlive,
                maxSegment,
                sendBuffer,
                receiveBuffer);
    }

    /** These settings with another bound on handshakes at once. */
    public IwarpSettings withPendingHandshakes(int most) {
        return new IwarpSettings(
                defaults, handshakeTimeout, most, sendTimeout, keepAlive, maxSegment, sendBuffer, receiveBuffer);
    }

    private static int number(String key, IntSupplier configured, int least, int most, int otherwise) {
        return ConfiguredNumber.read(
                key,
                configured,
                least,
                most,
                otherwise,
                warning -> Log.LOGGER.warn("{}: {}", IwarpConfiguration.PID, warning));
    }
}
