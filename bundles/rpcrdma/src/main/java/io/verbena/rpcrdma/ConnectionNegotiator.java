package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A service that exchanges settings through the connection manager's private data (RFC 8797). Both ends use it in the
 * same way. Without such a service, connections have no private data and the settings
 * {@link ConnectionSettings#WITHOUT_PRIVATE_DATA}. Stateless; any thread may call it.
 */
@ProviderType
public interface ConnectionNegotiator {
    /** The private data that tells the peer the capabilities of this end. */
    byte[] privateData(LocalSettings local);

    /**
     * The settings of the connection.
     *
     * @param peerPrivateData the peer's private data; it may be empty or belong to another protocol
     */
    ConnectionSettings settle(LocalSettings local, byte[] peerPrivateData);
}
