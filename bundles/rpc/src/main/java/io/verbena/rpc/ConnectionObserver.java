package io.verbena.rpc;

import org.osgi.annotation.versioning.ConsumerType;

/** Is notified when a connection is lost and re-established. The transport's threads call it; it must not block. */
@ConsumerType
public interface ConnectionObserver {
    ConnectionObserver NONE = new ConnectionObserver() {};

    /**
     * A lost connection was re-established. Calls without a reply were retransmitted, or are about to be.
     *
     * @param attempt the number of the connection, 1 for the first reconnect
     */
    default void reconnected(int attempt) {}

    /**
     * The connection was lost. The transport re-establishes it when there is something to send.
     *
     * @param cause why, or null after an orderly end: the peer closed it, or a service below was replaced
     */
    default void lost(Throwable cause) {}
}
