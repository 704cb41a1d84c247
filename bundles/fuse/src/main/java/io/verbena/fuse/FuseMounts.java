package io.verbena.fuse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Makes mounts of this host's file system, by {@code /dev/fuse}, of {@link io.verbena.nfs.Mount} services. Any thread
 * may call any method. When the service is unregistered, all of its mounts end.
 */
@ProviderType
public interface FuseMounts {
    /**
     * Mounts. Another {@code Mount} service of the same name that replaces the first one carries the mount on.
     *
     * @param mount the name of a {@code Mount} service that is there, with the option {@code links=off}: the kernel
     *     follows links itself
     * @param directory an existing directory of this host, or a symbolic link to one
     * @return the mount, which every program sees
     * @throws IOException if this host cannot mount; the message says what is missing, and what to do
     */
    FuseMount mount(String mount, Path directory, FuseSettings settings) throws IOException;

    /** The mounts that have not ended. */
    List<FuseMount> all();

    /** The mount at a directory, by whichever name, if it is one of {@link #all}. */
    Optional<FuseMount> at(Path directory);
}
