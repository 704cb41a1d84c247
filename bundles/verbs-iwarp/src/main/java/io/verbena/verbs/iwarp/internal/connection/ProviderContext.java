package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.memory.MemoryBudget;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;

/** What the connections of one provider share. Any thread. */
public interface ProviderContext {
    /** Clocks, threads, waits and random numbers. */
    Runtime runtime();

    IwarpSettings settings();

    /** The budget that buffers are leased from. */
    MemoryBudget memory();

    RandomNumbers random();

    /** The observers of the connections. */
    WireTap tap();

    /** Creates a daemon thread, which is not started. */
    default Thread newThread(String name, Runnable work) {
        Thread thread = runtime().threads(name).newThread(work);
        thread.setName(name); // without a number
        return thread;
    }

    /** Removes a connection that has ended. */
    void ended(IwarpConnection connection);

    /** Adds a new connection, which the provider closes when it stops. */
    void opened(IwarpConnection connection) throws RdmaException;
}
