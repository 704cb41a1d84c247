package io.verbena.karaf.subject.internal;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.hooks.weaving.WeavingHook;

/**
 * Registers the hook on a JDK that needs it, and watches the start of a container for scripts. The bundle starts before
 * Karaf's shell, and thus before Declarative Services.
 */
public final class Activator implements BundleActivator {
    /** The first JDK without a security manager (JEP 486). */
    private static final int WITHOUT_SECURITY_MANAGER = 24;

    /** Registers the hook and the watch. The framework removes them when the bundle stops. */
    @Override
    public void start(BundleContext context) {
        if (Runtime.version().feature() >= WITHOUT_SECURITY_MANAGER) {
            context.registerService(WeavingHook.class, new SubjectHook(), null);
        }
        if (StartWatch.isWanted()) {
            // a container that has not started does not stop in order
            context.addFrameworkListener(new StartWatch(
                    context, System.err, () -> Runtime.getRuntime().halt(StartWatch.UNUSABLE)));
        }
    }

    /** Does nothing: classes that are loaded stay as they are. */
    @Override
    public void stop(BundleContext context) {}
}
