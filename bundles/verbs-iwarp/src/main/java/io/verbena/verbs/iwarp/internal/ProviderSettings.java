package io.verbena.verbs.iwarp.internal;

import java.time.Duration;

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
}
