package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.WireTap;

/** What the connections of one provider share. */
interface ConnectionFactory {
    Natives natives();

    EventLoop events();

    Devices deviceTable();

    NativeSettings settings();

    RandomNumbers random();

    /** Who observes the connections. */
    WireTap tap();

    /**
     * A connection comes into being: it has to end with the provider.
     *
     * @throws RdmaException RESOURCES if that has been stopped
     */
    void opened(NativeConnection connection) throws RdmaException;

    /** The connection has ended. */
    void ended(NativeConnection connection);
}
