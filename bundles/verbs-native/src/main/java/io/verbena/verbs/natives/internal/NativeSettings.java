package io.verbena.verbs.natives.internal;

import java.util.Set;

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

    NativeSettings {
        devices = Set.copyOf(devices);
    }

    boolean mayUse(String device) {
        return devices.isEmpty() || devices.contains(device);
    }
}
