package io.verbena.nfs.transfer.internal.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/**
 * Returns the names of a local file's extended attributes from a service of the bundle io.verbena.dirfd. Returns null
 * if there is no service, because a client does not require that bundle. The service is looked up for each file, and
 * uses only types of the JDK, so that this bundle keeps running when the other bundle is stopped. Thread safe.
 */
final class AttributeNames implements Function<Path, List<String>> {
    private static final String NAMES = "(verbena.function=extended-attribute-names)";

    private final BundleContext context;

    AttributeNames(BundleContext context) {
        this.context = context;
    }

    @Override
    public List<String> apply(Path file) {
        try {
            for (ServiceReference<?> reference : context.getServiceReferences(Function.class, NAMES)) {
                Object service = context.getService(reference);
                try {
                    if (service instanceof Function<?, ?> names) {
                        return asked(names, file);
                    }
                } finally {
                    context.ungetService(reference);
                }
            }
            return null;
        } catch (InvalidSyntaxException | IllegalStateException e) {
            return null; // the bundle is being stopped
        }
    }

    @SuppressWarnings("unchecked") // the service's property guarantees the type
    private static List<String> asked(Function<?, ?> names, Path file) {
        return ((Function<Path, List<String>>) names).apply(file);
    }
}
