package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A provider of RDMA connections: software iWARP, or the devices of this host. A service with the property
 * {@link #NAME}. Any thread may call its methods. When the service is unregistered, its listeners and connections end,
 * each connection with {@link ConnectionHandler#onDisconnected}.
 */
@ProviderType
public interface RdmaProvider {
    /** Service property: the provider's {@link #name}. */
    String NAME = "verbena.rdma.provider";

    /** The provider's name for users: {@code iwarp}, {@code native}. */
    String name();

    /** The devices that the provider can use now. */
    List<RdmaDevice> devices();

    /** Whether the provider has a device with a route to the address. */
    boolean reaches(InetSocketAddress remote);

    /**
     * Creates the local end of a connection. Receives can be posted at once; {@link RdmaConnection#connect} connects
     * it.
     *
     * @param remote the peer's address
     * @param options limits and settings of the connection
     * @param handler receives completions
     * @param timeout bounds address and route resolution
     * @throws RdmaException with {@link RdmaException.Kind#UNREACHABLE} where there is no route to the address
     * @throws IllegalArgumentException for a provider option that it does not know, which it names
     */
    RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException;

    /**
     * Listens for connections.
     *
     * @param local the address; port 0 picks a free port
     * @param providerOptions further options, which the provider names and checks
     * @param acceptor decides on each connection request
     * @throws RdmaException with {@link RdmaException.Kind#ADDRESS_UNAVAILABLE} where the address is not available
     * @throws IllegalArgumentException for a provider option that it does not know, which it names
     */
    RdmaListener listen(InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException;
}
