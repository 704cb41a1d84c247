package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Whoever registers this as a service is told when a connection has come to {@link ConnectionMonitor#connections} or
 * gone. On a thread of the transport's, with no lock held: must not block.
 */
@ConsumerType
@FunctionalInterface
public interface ConnectionListener {
    /** There may be others than before. */
    void connectionsChanged();
}
