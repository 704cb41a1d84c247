package io.verbena.nfs;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Makes mounts without configurations, which belong to the caller. In OSGi the factory is a service; on a plain class
 * path {@link java.util.ServiceLoader} finds it. Any thread may call it.
 *
 * <p>When the service is unregistered, its mounts are {@linkplain MountReplacedException replaced}: a caller that goes
 * on has the next factory make another mount.
 */
@ProviderType
public interface MountFactory {
    /**
     * Makes a mount, which begins to connect by itself: see {@link Mount#connect}.
     *
     * @param name the name in messages; several mounts may have the same name
     * @param server host name or address
     * @param export path on the server, beginning with a slash
     * @throws IllegalStateException if the service has been stopped: the next factory makes mounts
     * @throws IllegalArgumentException for an impossible argument; the message is for people
     */
    ClosableMount mount(String name, String server, String export, MountOptions options);
}
