package io.verbena.swap.probe.internal;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;

/** The class loaders of current and replaced bundles. No object may keep a replaced bundle's class loader reachable. */
final class ClassLoaderWatch {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final String OURS = "io.verbena.";

    private final BundleContext context;
    private final Map<String, List<WeakReference<ClassLoader>>> seen = new LinkedHashMap<>();

    ClassLoaderWatch(BundleContext context) {
        this.context = context;
    }

    /** Notes the current class loaders. */
    void note() {
        for (Bundle bundle : context.getBundles()) {
            BundleWiring wiring = bundle.adapt(BundleWiring.class);
            if (bundle.getSymbolicName().startsWith(OURS) && wiring != null && wiring.getClassLoader() != null) {
                List<WeakReference<ClassLoader>> loaders =
                        seen.computeIfAbsent(bundle.getSymbolicName(), name -> new ArrayList<>());
                if (loaders.stream().noneMatch(loader -> loader.get() == wiring.getClassLoader())) {
                    loaders.add(new WeakReference<>(wiring.getClassLoader()));
                }
            }
        }
    }

    /** Waits until each bundle has only one class loader. Returns how many were collected. */
    int awaitGone() throws InterruptedException {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (true) {
            System.gc();
            Set<String> held = new TreeSet<>();
            int gone = 0;
            for (Map.Entry<String, List<WeakReference<ClassLoader>>> entry : seen.entrySet()) {
                long left = entry.getValue().stream()
                        .filter(loader -> loader.get() != null)
                        .count();
                gone += (int) (entry.getValue().size() - left);
                if (left > 1) {
                    held.add(entry.getKey() + " (" + (left - 1) + ")");
                }
            }
            if (held.isEmpty()) {
                return gone;
            }
            if (deadline - System.nanoTime() <= 0) {
                throw new IllegalStateException("class loaders of replaced bundles are still held: " + held
                        + "; there are the threads "
                        + Thread.getAllStackTraces().keySet().stream()
                                .map(Thread::getName)
                                .toList());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
