package io.verbena.rpc;

import org.osgi.annotation.versioning.ConsumerType;

/** Told of a connection's ups and downs, on a thread of the transport's: must not block. */
@ConsumerType
public interface ConnectionObserver {
    ConnectionObserver NONE = new ConnectionObserver() {};

    /**
     * A lost connection has been made again; calls without a reply have been or are about to be retransmitted.
     *
     * @param attempt the number of the connection, 1 for the first reconnect
     */
    default void reconnected(int attempt) {}

    /**
     * The connection was lost; it will be made again when there is something to send.
     *
     * @param cause why, or null after an orderly end: the peer closed it, or a service below was replaced
     */
    default void lost(Throwable cause) {}
}
