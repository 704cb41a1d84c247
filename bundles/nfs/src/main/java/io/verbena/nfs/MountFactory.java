package io.verbena.nfs;

import javax.security.auth.Subject;
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

    /**
     * As {@link #mount(String, String, String, MountOptions)}, for a user with Kerberos credentials. They are used
     * where {@code sec} or the server asks for Kerberos.
     *
     * @param user has a ticket-granting ticket, which somebody renews; null for the user that the options name
     * @throws UnsupportedOperationException where the factory makes no mounts for users
     */
    default ClosableMount mount(String name, String server, String export, MountOptions options, Subject user) {
        if (user != null) {
            throw new UnsupportedOperationException("this factory makes no mounts for users with credentials");
        }
        return mount(name, server, export, options);
    }
}
