package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConfiguredNumber;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * How the provider is configured; see {@link NativeConfiguration}.
 *
 * @param pollMicros how long a receive thread looks for completions before it waits for the device's event
 * @param maxPendingRequests a listener's, at once
 * @param devices the names of those that may be used; empty for all
 */
record NativeSettings(int pollMicros, int maxPendingRequests, Set<String> devices) {
    /** What holds where nothing is configured. */
    static final NativeSettings DEFAULT = new NativeSettings(0, NativeConfiguration.MAX_PENDING_REQUESTS, Set.of());

    /** Each has a thread. */
    private static final int MOST_PENDING_REQUESTS = 4096;

    NativeSettings {
        devices = Collections.unmodifiableSet(new LinkedHashSet<>(devices));
    }

    /** What is configured; where a value is of no use the default holds, and the log says so. */
    static NativeSettings of(NativeConfiguration configuration) {
        return new NativeSettings(
                number("poll.us", configuration::poll_us, 0, ProviderOptions.MAX_POLL_MICROS, DEFAULT.pollMicros),
                number(
                        "max.pending.requests",
                        configuration::max_pending_requests,
                        1,
                        MOST_PENDING_REQUESTS,
                        DEFAULT.maxPendingRequests),
                names(configuration::devices));
    }

    private static int number(String key, IntSupplier configured, int least, int most, int otherwise) {
        return ConfiguredNumber.read(
                key,
                configured,
                least,
                most,
                otherwise,
                warning -> Log.LOGGER.warn("{}: {}", NativeConfiguration.PID, warning));
    }

    /** A list, or one text: the shell knows no lists. */
    private static Set<String> names(Supplier<String[]> configured) {
        Set<String> names = new LinkedHashSet<>();
        for (String text : configured.get()) {
            Arrays.stream(text.split("[,\\s]+")).filter(name -> !name.isEmpty()).forEach(names::add);
        }
        return names;
    }

    boolean mayUse(String device) {
        return devices.isEmpty() || devices.contains(device);
    }
}
