package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** A program offered to peers at an address. */
@ProviderType
public interface RpcListener extends AutoCloseable {
    /** The address that peers connect to, its port resolved. */
    InetSocketAddress localAddress();

    /**
     * The listener's settings, for people to read: {@code provider} and {@code providerChoice}, the reason for this
     * provider.
     */
    Map<String, String> settings();

    /**
     * Stops listening and ends the connections that were accepted: each takes no further request, and is closed when
     * those that it took are answered, within a bound. Waits until nothing of them is left.
     */
    @Override
    void close();
}
