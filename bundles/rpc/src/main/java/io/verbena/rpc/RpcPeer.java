package io.verbena.rpc;

import java.net.SocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** The connection that a request came by; the same object for each request of one connection. */
@ProviderType
public interface RpcPeer {
    /** A number that no other connection of this transport has had. */
    long connectionId();

    SocketAddress remoteAddress();

    /** Ends the connection, as for a peer beyond trust; returns at once. */
    void disconnect();
}
