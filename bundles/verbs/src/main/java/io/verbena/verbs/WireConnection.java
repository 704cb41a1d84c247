package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.util.Objects;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A connection as {@link WireObserver}s see it: one object for each end, compared by identity. A provider creates it
 * with the first event of the connection.
 */
@ProviderType
public final class WireConnection {
    private final String provider;
    private final String device;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final boolean initiator;

    /**
     * @param provider the {@link RdmaProvider#name}
     * @param device the {@link RdmaDevice#name}, empty where it is not known
     * @param initiator whether this end requested the connection
     */
    public WireConnection(
            String provider, String device, InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        this.provider = Objects.requireNonNull(provider, "provider");
        this.device = Objects.requireNonNull(device, "device");
        this.local = Objects.requireNonNull(local, "local");
        this.remote = Objects.requireNonNull(remote, "remote");
        this.initiator = initiator;
    }

    public String provider() {
        return provider;
    }

    public String device() {
        return device;
    }

    public InetSocketAddress local() {
        return local;
    }

    public InetSocketAddress remote() {
        return remote;
    }

    public boolean isInitiator() {
        return initiator;
    }

    @Override
    public String toString() {
        return provider + " " + local + (initiator ? " to " : " from ") + remote;
    }
}
