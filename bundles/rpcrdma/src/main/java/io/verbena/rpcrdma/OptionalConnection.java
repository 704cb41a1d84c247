package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ProviderType;

/** A connection as seen by an {@link OptionalOperation}. Only the connection's receive thread may use it. */
@ProviderType
public interface OptionalConnection {
    /** The longest message that this end can send, in octets. */
    int sendSize();

    /** The longest message that this end can receive: the size of the receives posted, in octets. */
    int receiveSize();

    /** The current settings. */
    ConnectionSettings settings();

    /**
     * Applies the peer's sizes: each inline threshold grows to the size that both ends support, if that is larger than
     * the current threshold. A threshold never shrinks, since a message may be on its way.
     *
     * @param peerSendSize the longest message that the peer can send, in octets
     * @param peerReceiveSize the longest message that the peer can receive, in octets
     */
    void grow(int peerSendSize, int peerReceiveSize);
}
