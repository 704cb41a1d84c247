package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.MountFactory;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.ServiceLoader;

/** The factories of mounts: OSGi services once one has come, else what {@link ServiceLoader} finds. Thread safe. */
public final class MountFactories implements ManagedMount.FactorySource {
    private static final String ANY = "";

    private final NamedServices<MountFactory> services;
    private volatile boolean dynamic;

    public MountFactories(Runtime runtime) {
        services = new NamedServices<>(runtime);
    }

    public void add(MountFactory factory) {
        dynamic = true;
        services.add(ANY, factory);
    }

    public void remove(MountFactory factory) {
        services.remove(factory);
    }

    @Override
    public MountFactory await(MountFactory stopped, Duration timeout) throws IOException {
        Optional<MountFactory> factory = dynamic
                ? services.await(ANY, found -> found != stopped, timeout)
                : ServiceLoader.load(MountFactory.class, MountFactories.class.getClassLoader())
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
