package io.verbena.verbs;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** Listens for connection requests. */
@ProviderType
public interface RdmaListener extends AutoCloseable {
    /** The address that peers connect to, its port resolved. */
    InetSocketAddress localAddress();

    /**
     * Stops listening, drops requests that are not accepted yet, and waits until no call of the acceptor runs. Accepted
     * connections stay.
     */
    @Override
    void close();
}
