package io.verbena.rpc;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A service that moves RPC messages, registered with the service property {@link #NETID} ({@code rdma}; RFC 8166
 * section 9). It has both roles: it connects to programs of peers, and offers local programs to peers.
 */
@ProviderType
public interface RpcTransport {
    /** Service property: the network identifier (RFC 5665) of what the transport runs on. */
    String NETID = "verbena.netid";

    /**
     * Connects. Blocks until the connection is established.
     *
     * @throws RpcException where the connection cannot be established in time, the peer refuses, or a service is
     *     missing
     * @throws IllegalArgumentException for an unknown or invalid transport option; the message names it
     */
    RpcConnection connect(ConnectOptions options) throws IOException;

    /**
     * Listens for connections and offers a program's procedures on them.
     *
     * @throws IOException where the address is not available
     * @throws IllegalArgumentException for an unknown or invalid transport option; the message names it
     */
    RpcListener listen(ListenOptions options, RpcProgram program) throws IOException;
}
