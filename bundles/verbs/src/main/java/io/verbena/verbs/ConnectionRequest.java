package io.verbena.verbs;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** A peer's request to connect, valid during {@link ConnectionAcceptor#onConnectionRequest}. */
@ProviderType
public interface ConnectionRequest {
    InetSocketAddress remoteAddress();

    /**
     * The peer's private data, the provider's own parts taken off; empty where there is none. As with
     * {@link RdmaConnection#connect}, zeros may stand behind it.
     */
    byte[] privateData();

    /**
     * Makes the connection's local end, ready to post receives on; {@link RdmaConnection#accept} then completes the
     * connection.
     */
    RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) throws RdmaException;

    /** Refuses the request, with private data for the peer to read why (none: an empty array). */
    void reject(byte[] privateData);
}
