package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Exchanges settings through the connection manager's private data (RFC 8797); a service. Without one, connections
 * come up without private data and with {@link ConnectionSettings#DEFAULT}. Both sides use it alike. Without state;
 * may be called from any thread.
 */
@ProviderType
public interface ConnectionNegotiator {
    /** The private data that tells the peer what this end can do. */
    byte[] privateData(LocalSettings local);

    /**
     * What holds on the connection.
     *
     * @param peerPrivateData what the peer sent: empty where it sent nothing, perhaps something of another protocol's
     */
    ConnectionSettings settle(LocalSettings local, byte[] peerPrivateData);
}
