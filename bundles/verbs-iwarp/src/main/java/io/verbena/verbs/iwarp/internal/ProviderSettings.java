package io.verbena.verbs.iwarp.internal;

import java.time.Duration;

/**
 * How the provider is configured; see {@link IwarpConfiguration}.
 *
 * @param defaults of options that a connection does not set
 */
record ProviderSettings(
        ProviderOptions defaults,
        Duration handshakeTimeout,
        int maxPendingHandshakes,
        int sendBuffer,
        int receiveBuffer) {
    /** What holds where nothing is configured. */
    static final ProviderSettings DEFAULT = new ProviderSettings(
            new ProviderOptions(true, ReadyMode.READ, IwarpConfiguration.SETTLE_MILLIS),
            Duration.ofSeconds(IwarpConfiguration.HANDSHAKE_SECONDS),
            IwarpConfiguration.MAX_PENDING_HANDSHAKES,
            0,
            0);
}
