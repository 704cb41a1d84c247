package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** A program offered to peers at an address. */
@ProviderType
public interface RpcListener extends AutoCloseable {
    /** The address that peers connect to, its port resolved. */
    InetSocketAddress localAddress();

    /** How it listens, for people to read: {@code provider}, {@code providerChoice} (why it is that one). */
    Map<String, String> settings();

    /** Stops listening, closes the connections that were accepted, and waits until nothing of them is left. */
    @Override
    void close();
}
