package io.verbena.swap.probe.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.wiring.FrameworkWiring;

/** Replaces bundles in three ways. */
final class BundleReplacer {
    private static final long REFRESH_SECONDS = 60;

    /** The ways to replace a bundle. */
    enum Kind {
        RESTART,
        UPDATE,
        REFRESH
    }

    private final BundleContext context;
    private final Path folder;
    private int builds;

    BundleReplacer(BundleContext context, Path folder) {
        this.context = context;
        this.folder = folder;
    }

    Bundle bundle(String symbolicName) {
        for (Bundle bundle : context.getBundles()) {
            if (bundle.getSymbolicName().equals(symbolicName)) {
                return bundle;
            }
        }
        throw new IllegalArgumentException("no bundle " + symbolicName);
    }

    void swap(Bundle bundle, Kind kind) throws Exception {
        switch (kind) {
            case RESTART -> {
                bundle.stop(Bundle.STOP_TRANSIENT);
                bundle.start(Bundle.START_TRANSIENT);
            }
            case UPDATE -> {
                try (InputStream jar = Files.newInputStream(rebuilt(bundle))) {
                    bundle.update(jar);
                }
            }
            case REFRESH -> refresh(bundle);
        }
    }

    private void refresh(Bundle bundle) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle), event -> {
            if (event.getType() == FrameworkEvent.PACKAGES_REFRESHED) {
                done.countDown();
            }
        });
        if (!done.await(REFRESH_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a refresh takes more than " + REFRESH_SECONDS + " s");
        }
    }

    /** The bundle's jar with another manifest, as from another build. */
    private Path rebuilt(Bundle bundle) throws IOException {
        Path to = folder.resolve(bundle.getSymbolicName() + "-" + ++builds + ".jar");
        try (JarFile from = new JarFile(jar(bundle).toFile());
                OutputStream file = Files.newOutputStream(to)) {
            Manifest manifest = new Manifest(from.getManifest());
            manifest.getMainAttributes().putValue("Verbena-Build", Integer.toString(builds));
            try (JarOutputStream out = new JarOutputStream(file, manifest)) {
                for (var entry : (Iterable<JarEntry>) from.stream()::iterator) {
                    if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        out.putNextEntry(new ZipEntry(entry.getName()));
                        from.getInputStream(entry).transferTo(out);
                        out.closeEntry();
                    }
                }
            }
        }
        return to;
    }

    private static Path jar(Bundle bundle) throws IOException {
        Path repository =
                Path.of(System.getProperty("karaf.home"), "system", "io", "verbena", bundle.getSymbolicName());
        try (Stream<Path> files = Files.walk(repository)) {
            return files.filter(path -> path.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no jar in " + repository));
        }
    }
}
