package io.verbena.verbs;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** A peer's request to connect, valid during {@link ConnectionAcceptor#onConnectionRequest}. */
@ProviderType
public interface ConnectionRequest {
    InetSocketAddress remoteAddress();

    /**
     * The peer's private data without the provider's own parts; empty where there is none. As with
     * {@link RdmaConnection#connect}, zeros may follow it.
     */
    byte[] privateData();

    /**
     * Creates the local end of the connection. Receives can be posted at once; {@link RdmaConnection#accept} completes
     * the connection.
     */
    RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) throws RdmaException;

    /** Rejects the request, with private data that tells the peer the reason (an empty array for none). */
    void reject(byte[] privateData);
}
