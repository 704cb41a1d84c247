package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.ConfiguredNumber;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * How the provider is configured; see {@link IwarpConfiguration}.
 *
 * @param defaults of options that a connection does not set
 * @param handshakeTimeout in which a peer that connected has to have sent its MPA request
 * @param maxPendingHandshakes a listener's, at once
 * @param maxSegment the longest FPDU, in octets; 0: what fits a segment of the interface
 * @param sendBuffer the socket's, in octets; 0: the system's own
 * @param receiveBuffer the same
 */
public record ProviderSettings(
        ProviderOptions defaults,
        Duration handshakeTimeout,
        int maxPendingHandshakes,
        int maxSegment,
        int sendBuffer,
        int receiveBuffer) {
    /** What holds where nothing is configured. */
    public static final ProviderSettings DEFAULT = new ProviderSettings(
            new ProviderOptions(true, ReadyMode.READ, IwarpConfiguration.SETTLE_MILLIS),
            Duration.ofSeconds(IwarpConfiguration.HANDSHAKE_SECONDS),
            IwarpConfiguration.MAX_PENDING_HANDSHAKES,
            0,
            0,
            0);

    private static final int MAX_SETTLE_MILLIS = 10_000;
    private static final int MAX_HANDSHAKE_SECONDS = 3600;

    /** Each has a thread. */
    private static final int MOST_PENDING_HANDSHAKES = 4096;

    private static final int MAX_SEGMENT = 0xffff;

    /** What is configured; where a value is of no use the default holds, and the log says so. */
    static ProviderSettings of(IwarpConfiguration configuration) {
        int settle =
                number("settle.ms", configuration::settle_ms, 0, MAX_SETTLE_MILLIS, DEFAULT.defaults.settleMillis());
        int handshake = number(
                "handshake.timeout.s",
                configuration::handshake_timeout_s,
                1,
                MAX_HANDSHAKE_SECONDS,
                IwarpConfiguration.HANDSHAKE_SECONDS);
        return new ProviderSettings(
                new ProviderOptions(configuration.crc(), ReadyMode.READ, settle),
                Duration.ofSeconds(handshake),
                number(
                        "max.pending.handshakes",
                        configuration::max_pending_handshakes,
                        1,
                        MOST_PENDING_HANDSHAKES,
                        DEFAULT.maxPendingHandshakes),
                number("max.segment", configuration::max_segment, 0, MAX_SEGMENT, 0),
                number("send.buffer", configuration::send_buffer, 0, Integer.MAX_VALUE, 0),
                number("receive.buffer", configuration::receive_buffer, 0, Integer.MAX_VALUE, 0));
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
