package io.verbena.verbs.trace.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.WireTrace;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Traces as a service. The observer is registered only while a trace runs. A provider that starts meanwhile finds it,
 * so that a trace continues when a provider is replaced.
 */
@Component(service = WireTrace.class)
public final class TraceService implements WireTrace {
    private static final int BUFFER = 1 << 16;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final BundleContext bundles;

    @GuardedBy("this")
    private TraceRun run;

    @GuardedBy("this")
    private TraceStatus last;

    @GuardedBy("this")
    private ServiceRegistration<WireObserver> registration;

    @Activate
    public TraceService(BundleContext bundles) {
        this.bundles = bundles;
    }

    @Override
    public synchronized TraceStatus start(Path file, boolean overwrite) throws IOException {
        if (run != null) {
            throw new IllegalStateException("a trace to " + run.status().file() + " runs already: stop it first");
        }
        TraceRun started = open(file, overwrite);
        started.start();
        boolean registered = false;
        try {
            registration = bundles.registerService(WireObserver.class, started, null);
            registered = true;
        } finally {
            if (!registered) {
                started.stop();
            }
        }
        run = started;
        return started.status();
    }

    /** Opens a trace to a file that only its owner may read, since the trace holds the contents of users' files. */
    static TraceRun open(Path file, boolean overwrite) throws IOException {
        Set<OpenOption> options = overwrite
                ? Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
                : Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        if (overwrite && posix && Files.isRegularFile(file)) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            // other users could read the file so far; a read-only file stays read-only
            permissions.retainAll(OWNER_ONLY);
            Files.setPosixFilePermissions(file, permissions);
        }
        OutputStream out = new BufferedOutputStream(
                Channels.newOutputStream(Files.newByteChannel(file, options, attributes)), BUFFER);
        boolean begun = false;
        try {
            TraceRun opened = new TraceRun(file, out, TraceRun.MAX_WAITING);
            begun = true;
            return opened;
        } finally {
            if (!begun) {
                out.close();
            }
        }
    }

    @Override
    public synchronized TraceStatus stop() throws IOException {
        if (run == null) {
            throw new IllegalStateException("no trace runs");
        }
        TraceRun ended = run;
        run = null;
        registration.unregister();
        registration = null;
        try {
            return ended.stop();
        } finally {
            last = ended.status();
        }
    }

    @Override
    public synchronized Optional<TraceStatus> status() {
        return Optional.ofNullable(run).map(TraceRun::status);
    }

    @Override
    public synchronized Optional<TraceStatus> last() {
        return Optional.ofNullable(last);
    }

    /** Ends the running trace, if there is one. */
    @Deactivate
    public synchronized void deactivate() {
        if (run != null) {
            try {
                stop();
            } catch (IOException e) {
                Log.LOGGER.warn("ending a trace failed", e);
            }
        }
    }
}
