package io.verbena.cli.internal.script;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the builds of this bundle have in common while a script runs. It is a service of the container, which outlives
 * each build, with types of the JDK and of Karaf only.
 */
final class Relay implements Successors {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** The time in which the next build has to start. */
    private static final long START_SECONDS = 60;

    /** Words of statements that may leave a refresh of bundles to a thread of the container. */
    private static final Pattern REFRESHING = Pattern.compile("refresh|update|install|feature|source");

    private static final String PROPERTY = "verbena.script.relay";
    private static final String SUCCESSORS = "successors";
    private static final String SESSION = "session";
    private static final String RUNNER = "runner";
    private static final String END = "end";

    private final Bundle bundle;
    private final BundleWiring build;
    private final FrameworkWiring wiring;
    private final Map<String, Object> shared;

    private Relay(Bundle bundle, BundleContext container, Map<String, Object> shared) {
        this.bundle = bundle;
        this.build = bundle.adapt(BundleWiring.class);
        this.wiring = container.getBundle(0).adapt(FrameworkWiring.class);
        this.shared = shared;
    }

    /**
     * Begins the relay of a script, in which this build is the first.
     *
     * @param container the context of a bundle that stops only with the container
     */
    static Relay begin(Bundle bundle, BundleContext container) {
        Map<String, Object> shared = new ConcurrentHashMap<>();
        shared.put(SUCCESSORS, new LinkedBlockingDeque<Consumer<Map<String, Object>>>());
        shared.put(END, new CountDownLatch(1));
        container.registerService(Map.class, shared, FrameworkUtil.asDictionary(Map.of(PROPERTY, true)));
        return new Relay(bundle, container, shared);
    }

    /** Returns the relay of the script that another build has begun. */
    @SuppressWarnings("unchecked") // the property is only with such a map
    static Optional<Relay> find(Bundle bundle, BundleContext container) {
        try {
            return container.getServiceReferences(Map.class, "(" + PROPERTY + "=true)").stream()
                    .findFirst()
                    .map(container::getService)
                    .map(shared -> new Relay(bundle, container, (Map<String, Object>) shared));
        } catch (InvalidSyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Offers to run the rest of the script.
     *
     * @param unknownCommand as for {@link Script}; replaces the function of the build before, even in the middle of a
     *     statement
     */
    void offer(Consumer<Map<String, Object>> successor, Function<Session, Object> unknownCommand) {
        if (shared.get(SESSION) instanceof Session session) {
            session.put(Script.UNKNOWN_COMMAND, unknownCommand.apply(session));
        }
        successors().push(successor);
    }

    /** Takes an offer back. Returns whether nobody has taken it. */
    boolean withdraw(Consumer<Map<String, Object>> successor) {
        return successors().remove(successor);
    }

    @Override
    public void begun(Session session) {
        shared.put(SESSION, session);
    }

    @Override
    public Optional<Successor> next(String statement) throws CommandFailure, InterruptedException {
        if (REFRESHING.matcher(statement).find()) {
            awaitRefresh();
        }
        Consumer<Map<String, Object>> next = successors().poll();
        if (next == null && isReplaced()) {
            next = successors().poll(START_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new CommandFailure(
                        ExitStatus.NO_CONNECTION,
                        "the bundle " + bundle.getSymbolicName() + " does not start again, and runs no more commands");
            }
        }
        return Optional.ofNullable(next).map(successor -> rest -> successor.accept(rest.shared()));
    }

    /** Waits until the container has done what it was asked to refresh, which includes the start of the bundles. */
    private void awaitRefresh() throws InterruptedException {
        CountDownLatch refreshed = new CountDownLatch(1);
        // one thread does what it is asked for in that order
        wiring.refreshBundles(List.of(), listener(refreshed));
        refreshed.await(START_SECONDS, TimeUnit.SECONDS);
    }

    private static FrameworkListener listener(CountDownLatch refreshed) {
        return event -> refreshed.countDown();
    }

    /**
     * Loads the classes of this build that the end of a statement takes. A build that has been replaced loads no more.
     */
    void keepClasses() {
        for (Class<?> inPackage : List.of(Relay.class, CommandFailure.class)) {
            String path = "/" + inPackage.getPackageName().replace('.', '/');
            for (String file : build.listResources(path, "*.class", BundleWiring.LISTRESOURCES_LOCAL)) {
                String name =
                        file.substring(0, file.length() - ".class".length()).replace('/', '.');
                try {
                    // also loads the types of the methods
                    Method[] unused = Class.forName(name, true, inPackage.getClassLoader())
                            .getDeclaredMethods();
                } catch (ClassNotFoundException | LinkageError e) {
                    LOG.debug("the class {} is not kept", name, e);
                }
            }
        }
    }

    /** Returns whether the classes of this build are gone, and the bundle is to start again. */
    private boolean isReplaced() {
        return bundle.getState() != Bundle.UNINSTALLED
                && bundle.adapt(BundleStartLevel.class).isPersistentlyStarted()
                && !build.equals(bundle.adapt(BundleWiring.class));
    }

    @SuppressWarnings("unchecked") // see begin
    private BlockingDeque<Consumer<Map<String, Object>>> successors() {
        return (BlockingDeque<Consumer<Map<String, Object>>>) shared.get(SUCCESSORS);
    }

    /** Starts the thread that runs the script from now on. */
    void start(Thread runner) {
        shared.put(RUNNER, runner);
        runner.start();
    }

    /** The script has ended. */
    void end() {
        ((CountDownLatch) shared.get(END)).countDown();
    }

    /** Interrupts the script, and waits until it has ended. */
    void interrupt(long time, TimeUnit unit) throws InterruptedException {
        ((Thread) shared.get(RUNNER)).interrupt();
        ((CountDownLatch) shared.get(END)).await(time, unit);
    }
}
