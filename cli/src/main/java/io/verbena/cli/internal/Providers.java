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
 * Provides the names of RDMA providers from the properties of their services. Neither the services nor their type are
 * used: a bundle that imports the package of the type is refreshed with it, and these commands must survive that. May
 * be called from any thread.
 */
@Component(service = Providers.class)
public final class Providers {
    /** The type of the service of a provider. */
    public static final String TYPE = "io.verbena.verbs.RdmaProvider";

    /** The property of the service that contains the name of the provider. */
    public static final String NAME = "verbena.rdma.provider";

    /** The name of each service. A name remains while one of two services with that name goes. */
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

    /**
     * Returns the names of the providers of this project, present or not, and of all other providers that are present.
     */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>(MountOption.PROVIDER.words());
        names.addAll(present);
        return names;
    }

    /**
     * Checks the name of a provider before a command waits for the provider.
     *
     * @throws CommandException if the name is unknown; the message contains the known names
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
