package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A service that is notified when {@link ConnectionMonitor#connections} has changed. A thread of the transport calls it
 * with no lock held; it must not block.
 */
@ConsumerType
@FunctionalInterface
public interface ConnectionListener {
    /** Connections may have been added or removed. */
    void connectionsChanged();
}
