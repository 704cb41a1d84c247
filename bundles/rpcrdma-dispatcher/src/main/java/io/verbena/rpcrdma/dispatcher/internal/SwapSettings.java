package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.ConfiguredNumber;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What users set about swaps.
 *
 * @param drainTimeout how long what is under way on a connection is waited for before it is replaced
 * @param returnNow whether a connection is replaced as soon as a better one can be made, rather than with the next
 *     occasion
 */
record SwapSettings(Duration drainTimeout, boolean returnNow) {
    private static final Logger LOG = LoggerFactory.getLogger(SwapSettings.class);
    private static final int MAX_DRAIN_MILLIS = 600_000;

    static final SwapSettings DEFAULT =
            new SwapSettings(Duration.ofMillis(DispatcherConfiguration.DRAIN_MILLIS), false);

    static SwapSettings of(DispatcherConfiguration configuration) {
        return of(configuration.versionReturn(), configuration::drainTimeout);
    }

    /** What makes no sense is told in the log, and is as if it were not set. */
    static SwapSettings of(String versionReturn, IntSupplier drainMillis) {
        boolean now = versionReturn.equals(DispatcherConfiguration.NOW);
        if (!now && !versionReturn.equals(DispatcherConfiguration.RECONNECT)) {
            LOG.warn(
                    "{}: versionReturn={} makes no sense; it is {} or {}, and taken for {}",
                    DispatcherConfiguration.PID,
                    versionReturn,
                    DispatcherConfiguration.RECONNECT,
                    DispatcherConfiguration.NOW,
                    DispatcherConfiguration.RECONNECT);
        }
        return new SwapSettings(drain(drainMillis), now);
    }

    private static Duration drain(IntSupplier configured) {
        return Duration.ofMillis(ConfiguredNumber.read(
                "drainTimeout",
                configured,
                0,
                MAX_DRAIN_MILLIS,
                DispatcherConfiguration.DRAIN_MILLIS,
                warning -> LOG.warn("{}: {}", DispatcherConfiguration.PID, warning)));
    }
}
