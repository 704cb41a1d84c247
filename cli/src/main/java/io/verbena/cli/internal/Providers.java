package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.MountOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.service.component.AnyService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The names of RDMA providers, read from the properties of their services. Neither the services nor their type are
 * touched: a bundle that imports the type's package is refreshed with it, and these commands shall outlive that. May be
 * called from any thread.
 */
@Component(service = Providers.class)
public final class Providers {
    /** The type of a provider's service. */
    public static final String TYPE = "io.verbena.verbs.RdmaProvider";

    /** The property of that service that holds its name. */
    public static final String NAME = "verbena.rdma.provider";

    /** One for each service, so that a name stays while one of two services with that name goes. */
    private final List<String> present = new CopyOnWriteArrayList<>();

    @Reference(
            service = AnyService.class,
            target = "(&(objectClass=" + TYPE + ")(" + NAME + "=*))",
            cardinality = ReferenceCardinality.MULTIPLE,
            policy = ReferencePolicy.DYNAMIC)
    void addProvider(Map<String, Object> properties) {
        present.add(String.valueOf(properties.get(NAME)));
    }

    void removeProvider(Map<String, Object> properties) {
        present.remove(String.valueOf(properties.get(NAME)));
    }

    /** What may be named as a provider: those of this project, there or not, and those that are there. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>(MountOption.PROVIDER.words());
        names.addAll(present);
        return names;
    }

    /**
     * Checks a provider's name before anything waits for it to come.
     *
     * @throws CommandException naming the ones known
     */
    public void check(String name) throws CommandException {
        if (!names().contains(name)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "no RDMA provider is called '" + Text.printable(name) + "'; known ones are "
                            + String.join(", ", names()));
        }
    }
}
