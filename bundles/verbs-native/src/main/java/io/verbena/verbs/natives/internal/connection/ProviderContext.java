package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.natives.internal.device.Devices;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.memory.RandomNumbers;
import io.verbena.verbs.natives.internal.settings.NativeSettings;

/** What the connections of one provider share. Any thread. */
public interface ProviderContext {
    NativeLibraries libraries();

    EventLoop events();

    Devices deviceTable();

    NativeSettings settings();

    RandomNumbers random();

    /** The observers of the connections. */
    WireTap tap();

    /**
     * Adds a new connection, which the provider closes when it stops.
     *
     * @throws RdmaException RESOURCES if the provider has been stopped
     */
    void opened(NativeConnection connection) throws RdmaException;

    /** Removes a connection that has ended. */
    void ended(NativeConnection connection);
}
