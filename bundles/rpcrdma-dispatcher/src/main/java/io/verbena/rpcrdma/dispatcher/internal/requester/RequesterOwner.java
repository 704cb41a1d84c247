package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;

/** The owner of a requester, which makes its connections. Called without any lock held. */
public interface RequesterOwner {
    /** There are calls; there may be no connection. */
    void connectionNeeded();

    /** The peer does not answer, and calls that were given up hold every credit, or all room for calls. */
    void connectionStuck(Connection connection);

    /** Whether calls wait for a service that is missing on this host. Their time limits are extended then. */
    boolean isServiceMissing();

    /** How much longer a call may take in all for services that are missing, in nanoseconds. */
    long serviceNanos();

    /** The peer, for messages. */
    String peer();

    /** The number of the connection, as shell, log and events give it. */
    long connectionId();

    /** What the connection is for, for people to read; may be empty. */
    String label();
}
