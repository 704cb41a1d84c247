package io.verbena.rpc;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A service that moves RPC messages, registered with the service property {@link #NETID} ({@code rdma}; RFC 8166
 * section 9). Both roles: it connects to peers' programs and offers ours to peers.
 */
@ProviderType
public interface RpcTransport {
    /** Service property: the network identifier (RFC 5665) of what the transport runs on. */
    String NETID = "verbena.netid";

    /**
     * Connects. Blocks until the connection stands.
     *
     * @throws RpcException where it cannot be made in time, the peer refuses, or a service is missing
     * @throws IllegalArgumentException for an unknown or senseless transport option, which it names
     */
    RpcConnection connect(ConnectOptions options) throws IOException;

    /**
     * Listens for connections and offers a program's procedures on them.
     *
     * @throws IOException where the address cannot be had
     * @throws IllegalArgumentException for an unknown or senseless transport option, which it names
     */
    RpcListener listen(ListenOptions options, RpcProgram program) throws IOException;
}
