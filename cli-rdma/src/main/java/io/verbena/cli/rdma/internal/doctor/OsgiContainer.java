package io.verbena.cli.rdma.internal.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** The container of a bundle. */
final class OsgiContainer implements Container {
    private static final String OURS = "io.verbena.";

    private final BundleContext context;

    OsgiContainer(BundleContext context) {
        this.context = context;
    }

    @Override
    public List<BundleState> bundles() {
        return Arrays.stream(context.getBundles())
                .map(bundle -> new BundleState(name(bundle), state(bundle), isWhole(bundle)))
                .toList();
    }

    private static String name(Bundle bundle) {
        return bundle.getSymbolicName() == null ? "bundle " + bundle.getBundleId() : bundle.getSymbolicName();
    }

    private static boolean isWhole(Bundle bundle) {
        boolean isFragment = bundle.getHeaders().get(Constants.FRAGMENT_HOST) != null;
        boolean isLazy = bundle.getState() == Bundle.STARTING
                && bundle.getHeaders().get(Constants.BUNDLE_ACTIVATIONPOLICY) != null;
        return bundle.getState() == Bundle.ACTIVE || isLazy || (isFragment && bundle.getState() == Bundle.RESOLVED);
    }

    private static String state(Bundle bundle) {
        return switch (bundle.getState()) {
            case Bundle.INSTALLED -> "installed, but not resolved";
            case Bundle.RESOLVED -> "not started";
            case Bundle.STARTING -> "starting";
            case Bundle.STOPPING -> "stopping";
            case Bundle.ACTIVE -> "active";
            default -> "not installed";
        };
    }

    @Override
    public List<Unsatisfied> unsatisfied() {
        ServiceReference<ServiceComponentRuntime> reference =
                context.getServiceReference(ServiceComponentRuntime.class);
        ServiceComponentRuntime runtime = reference == null ? null : context.getService(reference);
        if (runtime == null) {
            return List.of(new Unsatisfied("all", "org.apache.felix.scr", "there is no component runtime", true));
        }
        try {
            List<Unsatisfied> found = new ArrayList<>();
            for (ComponentDescriptionDTO component : runtime.getComponentDescriptionDTOs()) {
                if (component.bundle.symbolicName.startsWith(OURS) && runtime.isComponentEnabled(component)) {
                    runtime.getComponentConfigurationDTOs(component).stream()
                            .flatMap(configuration -> unsatisfied(component, configuration))
                            .forEach(found::add);
                }
            }
            return found;
        } finally {
            context.ungetService(reference);
        }
    }

    private static Stream<Unsatisfied> unsatisfied(
            ComponentDescriptionDTO component, ComponentConfigurationDTO configuration) {
        if (configuration.state == ComponentConfigurationDTO.FAILED_ACTIVATION) {
            String why =
                    String.valueOf(configuration.failure).lines().findFirst().orElse("");
            return Stream.of(new Unsatisfied(component.name, component.bundle.symbolicName, why, true));
        }
        if (configuration.unsatisfiedReferences.length == 0) {
            return Stream.empty();
        }
        String missing = Arrays.stream(configuration.unsatisfiedReferences)
                .map(each -> each.name + (each.target == null ? "" : " " + each.target))
                .sorted()
                .collect(Collectors.joining(", "));
        return Stream.of(new Unsatisfied(
                component.name, component.bundle.symbolicName, "there is no service " + missing, false));
    }
}
