package io.verbena.rpcrdma.dispatcher.internal;

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

    /** A value that is no number is an exception where it is asked for. */
    private static Duration drain(IntSupplier configured) {
        String value;
        try {
            int millis = configured.getAsInt();
            if (millis >= 0 && millis <= MAX_DRAIN_MILLIS) {
                return Duration.ofMillis(millis);
            }
            value = Integer.toString(millis);
        } catch (RuntimeException e) { // of Declarative Services, whose class is not there without OSGi
            LOG.debug("drainTimeout is not read", e);
            value = "(no number)";
        }
        LOG.warn(
                "{}: drainTimeout={} makes no sense; it is 0 to {} milliseconds, and taken for {}",
                DispatcherConfiguration.PID,
                value,
                MAX_DRAIN_MILLIS,
                DispatcherConfiguration.DRAIN_MILLIS);
        return DEFAULT.drainTimeout;
    }
}
