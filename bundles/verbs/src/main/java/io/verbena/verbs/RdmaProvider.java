package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A way to do RDMA: the software iWARP provider, or the devices of this host. A service with the property
 * {@link #NAME}. Methods may be called from any thread. When the service goes away its listeners and connections end,
 * each connection with {@link ConnectionHandler#onDisconnected}.
 */
@ProviderType
public interface RdmaProvider {
    /** Service property: the provider's {@link #name}. */
    String NAME = "verbena.rdma.provider";

    /** What users call the provider: {@code iwarp}, {@code native}. */
    String name();

    /** The devices that it can use now. */
    List<RdmaDevice> devices();

    /** Whether it has a device with a route to that address. */
    boolean reaches(InetSocketAddress remote);

    /**
     * Makes a connection's local end, ready to post receives on; {@link RdmaConnection#connect} then connects it.
     *
     * @param remote the peer's address
     * @param options limits and settings of the connection
     * @param handler told of completions
     * @param timeout bounds address and route resolution
     * @throws RdmaException with {@link RdmaException.Kind#UNREACHABLE} where there is no way to that address
     * @throws IllegalArgumentException for a provider option that it does not know, which it names
     */
    RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException;

    /**
     * Listens for connections.
     *
     * @param local the address; port 0 picks a free one
     * @param providerOptions further options, named and checked by the provider
     * @param acceptor decides on each connection request
     * @throws RdmaException with {@link RdmaException.Kind#ADDRESS_UNAVAILABLE} where the address cannot be had
     * @throws IllegalArgumentException for a provider option that it does not know, which it names
     */
    RdmaListener listen(InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException;
}
