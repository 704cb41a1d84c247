package io.verbena.rpcrdma;

import org.osgi.annotation.versioning.ProviderType;

/** A connection as an {@link OptionalOperation} sees it. To be used on its receive thread. */
@ProviderType
public interface OptionalConnection {
    /** The longest message that this end would send, in octets. */
    int sendSize();

    /** The longest message that this end can receive: the size of the receives posted, in octets. */
    int receiveSize();

    /** What holds now. */
    ConnectionSettings settings();

    /**
     * The peer has told what it can do: each inline threshold grows to what both its ends can do, if that is more than
     * what holds now. It never shrinks, since a message may be on its way.
     *
     * @param peerSendSize the longest message that the peer would send, in octets
     * @param peerReceiveSize the longest that it can receive
     */
    void grow(int peerSendSize, int peerReceiveSize);
}
