package io.verbena.karaf.subject.internal;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.startlevel.FrameworkStartLevel;

/**
 * Ends the process of a script whose container has started without a bundle that runs scripts. Otherwise nobody would
 * run the script, and the process would wait for ever.
 */
final class StartWatch implements FrameworkListener {
    /** The exit status of a container that cannot start. */
    static final int UNUSABLE = 2;

    /** The properties by which the launcher says that there are scripts to run. */
    private static final List<String> SCRIPTS = List.of("verbena.script", "verbena.resident");

    /** The end of the properties by which the shell says that it runs them. */
    private static final String STARTED = ".started";

    /** The bundles without which no script runs. What they are wired to is known from the reason of their failure. */
    private static final Set<String> NEEDED = Set.of(
            "org.apache.felix.configadmin",
            "org.apache.karaf.features.core",
            "org.apache.karaf.shell.core",
            "org.apache.felix.scr",
            "io.verbena.cli");

    /** A bundle and its requirement, in the words of the framework. The last one of a message is the cause. */
    private static final Pattern UNRESOLVED =
            Pattern.compile("Unable to resolve (\\S+) .*?missing requirement \\[.*?\\)\\] ([^\\[\\]]+)");

    private final Map<String, Throwable> failures = new HashMap<>();
    private final BundleContext container;
    private final PrintStream err;
    private final Runnable end;

    /** Returns whether the launcher wants scripts to run. */
    static boolean isWanted() {
        return SCRIPTS.stream().anyMatch(script -> System.getProperty(script) != null);
    }

    /** Creates a watch that tells the reason on a stream, and then ends the process. */
    StartWatch(BundleContext container, PrintStream err, Runnable end) {
        this.container = container;
        this.err = err;
        this.end = end;
    }

    @Override
    public synchronized void frameworkEvent(FrameworkEvent event) {
        if (event.getType() == FrameworkEvent.ERROR) {
            failures.putIfAbsent(event.getBundle().getSymbolicName(), event.getThrowable());
        } else if (event.getType() == FrameworkEvent.STARTLEVEL_CHANGED) {
            look();
        }
    }

    /** Looks at the bundles of the start level that is reached, or of a lower one. */
    private void look() {
        int reached = container.getBundle(0).adapt(FrameworkStartLevel.class).getStartLevel();
        for (Bundle bundle : container.getBundles()) {
            String name = bundle.getSymbolicName();
            if (NEEDED.contains(name)
                    && bundle.adapt(BundleStartLevel.class).getStartLevel() <= reached
                    && bundle.getState() != Bundle.ACTIVE
                    && SCRIPTS.stream().noneMatch(script -> System.getProperty(script + STARTED) != null)) {
                err.println("verbena: cannot start: " + reason(name, failures.get(name)));
                err.flush();
                end.run();
                return;
            }
        }
    }

    /** Returns the bundle that is the cause, and what it lacks, in one line. */
    static String reason(String bundle, Throwable failure) {
        if (failure == null) {
            return "the bundle " + bundle + " is stopped";
        }
        String message = root(failure);
        return UNRESOLVED
                .matcher(message)
                .results()
                .reduce((first, second) -> second)
                .map(last -> "the bundle " + last.group(1) + " needs what no bundle provides: "
                        + last.group(2).replace("Unresolved requirements:", "").strip())
                .orElseGet(() -> "the bundle " + bundle + " fails: " + message)
                .replaceAll("\\p{Cntrl}+", " ");
    }

    /** Returns what the first cause says. A cause inside of the framework says less than the framework does. */
    private static String root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        Throwable told =
                failure instanceof BundleException exception && exception.getType() == BundleException.RESOLVE_ERROR
                        ? failure
                        : cause;
        return told instanceof BundleException && told.getMessage() != null ? told.getMessage() : told.toString();
    }
}
