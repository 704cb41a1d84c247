package io.verbena.nfs;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Makes mounts that have no configuration, and that belong to whoever has them made. In OSGi it is a service; on a plain
 * class path {@link java.util.ServiceLoader} finds it. May be called from any thread.
 *
 * <p>Where the service goes away its mounts are {@linkplain MountReplacedException replaced}: who wants to go on has
 * another made by the next.
 */
@ProviderType
public interface MountFactory {
    /**
     * Makes a mount, which begins to connect by itself; {@link Mount#connect} tells how that goes.
     *
     * @param name what it is called in messages; several may have the same
     * @param server host name or address
     * @param export path on the server, beginning with a slash
     * @throws IllegalStateException where the service has been stopped: the next one makes mounts
     * @throws IllegalArgumentException for what cannot be; the message is written for people
     */
    ClosableMount mount(String name, String server, String export, MountOptions options);
}
