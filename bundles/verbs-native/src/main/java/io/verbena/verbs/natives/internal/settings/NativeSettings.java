package io.verbena.verbs.natives.internal.settings;

import io.verbena.verbs.ConfiguredNumber;
import io.verbena.verbs.natives.internal.Log;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The configuration of the provider; see {@link NativeConfiguration}.
 *
 * @param pollMicros how long a receive thread looks for completions before it waits for the device's event
 * @param maxPendingRequests the most pending requests of one listener at once
 * @param devices the names of the devices that may be used; empty for all
 */
public record NativeSettings(int pollMicros, int maxPendingRequests, Set<String> devices) {
    /** The provider's name, which users and observers know it by. */
    public static final String PROVIDER = "native";

    /** The default settings. */
    public static final NativeSettings DEFAULT =
            new NativeSettings(0, NativeConfiguration.MAX_PENDING_REQUESTS, Set.of());

    /** A bound, since each pending request has a thread. */
    private static final int MOST_PENDING_REQUESTS = 4096;

    public NativeSettings {
        devices = Collections.unmodifiableSet(new LinkedHashSet<>(devices));
    }

    /** Reads the configuration. A value that cannot be used is replaced by its default, with a warning in the log. */
    public static NativeSettings of(NativeConfiguration configuration) {
        return new NativeSettings(
                number("poll.us", configuration::poll_us, 0, NativeOptions.MAX_POLL_MICROS, DEFAULT.pollMicros),
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

    /** Reads a list of names, or one text with several names: the shell knows no lists. */
    private static Set<String> names(Supplier<String[]> configured) {
        Set<String> names = new LinkedHashSet<>();
        for (String text : configured.get()) {
            Arrays.stream(text.split("[,\\s]+")).filter(name -> !name.isEmpty()).forEach(names::add);
        }
        return names;
    }

    public boolean mayUse(String device) {
        return devices.isEmpty() || devices.contains(device);
    }
}
