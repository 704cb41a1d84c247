package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.WireTap;

/** What the connections of one provider share. */
interface ConnectionFactory {
    ProviderSettings settings();

    StagingBuffers buffers();

    RandomNumbers random();

    /** Who observes the connections. */
    WireTap tap();

    /** A daemon thread, not started. */
    default Thread newThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The connection has ended. */
    void ended(IwarpConnection connection);

    /** A connection comes into being: it has to end with the provider. */
    void opened(IwarpConnection connection) throws RdmaException;
}
