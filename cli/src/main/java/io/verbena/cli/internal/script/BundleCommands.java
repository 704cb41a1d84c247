package io.verbena.cli.internal.script;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleListener;
import org.osgi.framework.ServiceListener;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.wiring.BundleWiring;

/** The commands that the bundles of a container declare for Karaf by annotated classes. */
final class BundleCommands implements CommandSources, AutoCloseable {
    private static final String HEADER = "Karaf-Commands";

    /** The package of the types that Karaf itself provides to commands. */
    private static final String PROVIDED = "org.apache.karaf.shell.api.console.";

    private final BundleContext context;
    private final AtomicLong changes = new AtomicLong();
    private final ServiceListener serviceListener = event -> changes.incrementAndGet();
    private final BundleListener bundleListener = event -> changes.incrementAndGet();

    /**
     * The declared commands of each wiring, with scope, since a script asks often while a command is awaited. Names
     * and weak keys hold no class of a bundle that is replaced.
     */
    private final Map<BundleWiring, List<String>> names = new WeakHashMap<>();

    /**
     * Starts to count changes.
     *
     * @param context the context of a bundle that stops only with the container
     */
    BundleCommands(BundleContext context) {
        this.context = context;
        context.addServiceListener(serviceListener);
        context.addBundleListener(bundleListener);
    }

    @Override
    public long changes() {
        return changes.get();
    }

    @Override
    public Prospect of(String name) {
        Optional<Bundle> unread = Optional.empty();
        for (Bundle bundle : context.getBundles()) {
            if (bundle.getHeaders().get(HEADER) == null) {
                continue;
            }
            BundleWiring wiring = bundle.adapt(BundleWiring.class);
            if (wiring == null) {
                unread = Optional.of(bundle);
            } else if (names(bundle, wiring).stream().anyMatch(declared -> isNamed(declared, name))) {
                return prospect(bundle, wiring);
            }
        }
        return unread.map(bundle -> new Prospect(
                        true, !isToStart(bundle), Optional.of(label(bundle) + ", which has commands, is not resolved")))
                .orElse(Prospect.NONE);
    }

    @Override
    public Collection<String> names() {
        List<String> found = new ArrayList<>();
        for (Bundle bundle : context.getBundles()) {
            BundleWiring wiring = bundle.adapt(BundleWiring.class);
            if (wiring != null && bundle.getHeaders().get(HEADER) != null && isToStart(bundle)) {
                found.addAll(names(bundle, wiring));
            }
        }
        return found;
    }

    private Prospect prospect(Bundle bundle, BundleWiring wiring) {
        if (bundle.getState() != Bundle.ACTIVE) {
            boolean isStopped = !isToStart(bundle);
            String reason = label(bundle) + (isStopped ? " is stopped: bundle:start starts it" : " has not started");
            return new Prospect(true, isStopped, Optional.of(reason));
        }
        TreeSet<String> missing = new TreeSet<>();
        for (Class<?> type : commands(bundle, wiring)) {
            addMissing(type, missing);
        }
        return new Prospect(
                true,
                false,
                missing.isEmpty()
                        ? Optional.empty()
                        : Optional.of(label(bundle) + " needs the service " + String.join(", ", missing)));
    }

    /** Karaf registers the commands of a bundle when all services are there that any of its commands needs. */
    private void addMissing(Class<?> command, Collection<String> missing) {
        for (Class<?> type = command; type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                Reference reference = field.getAnnotation(Reference.class);
                String service = field.getType().getName();
                if (reference != null
                        && !reference.optional()
                        && field.getType() != List.class
                        && !service.startsWith(PROVIDED)
                        && context.getServiceReference(service) == null) {
                    missing.add(service);
                }
            }
        }
    }

    private List<String> names(Bundle bundle, BundleWiring wiring) {
        return names.computeIfAbsent(wiring, current -> commands(bundle, current).stream()
                .map(type -> type.getAnnotation(Command.class))
                .map(command -> command.scope() + ":" + command.name())
                .toList());
    }

    private static List<Class<?>> commands(Bundle bundle, BundleWiring wiring) {
        List<Class<?>> found = new ArrayList<>();
        for (String clause : bundle.getHeaders().get(HEADER).split(",", -1)) {
            String path =
                    clause.replaceFirst(";.*", "").strip().replace('.', '/').replaceFirst("\\*$", "");
            for (String file : wiring.listResources(
                    "/" + path, "*.class", BundleWiring.LISTRESOURCES_LOCAL | BundleWiring.LISTRESOURCES_RECURSE)) {
                load(bundle, file)
                        .filter(type -> type.isAnnotationPresent(Command.class))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    private static Optional<Class<?>> load(Bundle bundle, String file) {
        try {
            return Optional.of(bundle.loadClass(
                    file.substring(0, file.length() - ".class".length()).replace('/', '.')));
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty(); // Karaf cannot load the class either, so it is no command
        }
    }

    private static boolean isNamed(String declared, String name) {
        return declared.equals(name) || (name.indexOf(':') < 0 && declared.endsWith(":" + name));
    }

    private static boolean isToStart(Bundle bundle) {
        return bundle.getState() != Bundle.UNINSTALLED
                && bundle.adapt(BundleStartLevel.class).isPersistentlyStarted();
    }

    private static String label(Bundle bundle) {
        return "the bundle " + bundle.getSymbolicName();
    }

    @Override
    public void close() {
        context.removeServiceListener(serviceListener);
        context.removeBundleListener(bundleListener);
    }
}
