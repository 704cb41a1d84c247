package io.verbena.cli.internal;

import io.verbena.nfs.MountOption;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** What there is of RDMA now. May be called from any thread. */
@Component(service = RdmaServices.class)
public final class RdmaServices {
    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<ConnectionMonitor> monitors = new CopyOnWriteArrayList<>();

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addProvider(RdmaProvider provider) {
        providers.add(provider);
    }

    void removeProvider(RdmaProvider provider) {
        providers.remove(provider);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMonitor(ConnectionMonitor monitor) {
        monitors.add(monitor);
    }

    void removeMonitor(ConnectionMonitor monitor) {
        monitors.remove(monitor);
    }

    /** By name. */
    public List<RdmaProvider> providers() {
        List<RdmaProvider> sorted = new ArrayList<>(providers);
        sorted.sort(Comparator.comparing(RdmaProvider::name));
        return sorted;
    }

    /** What may be named as a provider: those of this project, there or not, and those that are there. */
    public Set<String> providerNames() {
        Set<String> names = new LinkedHashSet<>(MountOption.PROVIDER.words());
        providers().forEach(provider -> names.add(provider.name()));
        return names;
    }

    /**
     * Checks a provider's name before anything waits for it to come.
     *
     * @throws CommandException naming the ones known
     */
    public void checkProvider(String name) throws CommandException {
        if (!providerNames().contains(name)) {
            throw new CommandException("no RDMA provider is called '" + Text.printable(name) + "'; known ones are "
                    + String.join(", ", providerNames()));
        }
    }

    public List<ConnectionMonitor> monitors() {
        return List.copyOf(monitors);
    }
}
