package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.rpcrdma.dispatcher.internal.base.DispatcherConfiguration;
import io.verbena.verbs.ConfiguredNumber;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How users want connections to be replaced.
 *
 * @param drainTimeout how long the calls under way on a connection are waited for before it is replaced
 * @param returnNow whether a connection is replaced as soon as a better one can be made, rather than when it is
 *     replaced for another reason
 */
public record SwapSettings(Duration drainTimeout, boolean returnNow) {
    private static final Logger LOG = LoggerFactory.getLogger(SwapSettings.class);
    private static final int MAX_DRAIN_MILLIS = 600_000;

    public static final SwapSettings DEFAULT =
            new SwapSettings(Duration.ofMillis(DispatcherConfiguration.DRAIN_MILLIS), false);

    public static SwapSettings of(DispatcherConfiguration configuration) {
        return of(configuration.versionReturn(), configuration::drainTimeout);
    }

    /** Reads the configuration. A value that makes no sense is logged and replaced by the default. */
    public static SwapSettings of(String versionReturn, IntSupplier drainMillis) {
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
