package io.verbena.nfs.nio.internal;

import io.verbena.nfs.MountFactory;
import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.ServiceLoader;

/** What makes mounts: services where they come and go, as in OSGi, else what {@link ServiceLoader} finds. Thread safe. */
final class Factories implements OwnMount.Factories {
    private static final String ANY = "";

    private final Present<MountFactory> services = new Present<>();
    private volatile boolean dynamic;

    void add(MountFactory factory) {
        dynamic = true;
        services.add(ANY, factory);
    }

    void remove(MountFactory factory) {
        services.remove(factory);
    }

    @Override
    public MountFactory await(MountFactory stopped, Duration timeout) throws IOException {
        Optional<MountFactory> factory = dynamic
                ? services.await(ANY, found -> found != stopped, timeout)
                : ServiceLoader.load(MountFactory.class, Factories.class.getClassLoader())
                        .findFirst()
                        .filter(found -> stopped == null);
        return factory.orElseThrow(() -> new ServerUnavailableException(
                "there is no NFS client: on a class path the artifact io.verbena:verbena-standalone brings it, in OSGi"
                        + " the bundle io.verbena.nfs41.client",
                null));
    }

    @Override
    public boolean isDynamic() {
        return dynamic;
    }
}
