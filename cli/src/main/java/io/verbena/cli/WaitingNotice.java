package io.verbena.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.felix.service.command.Process;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/**
 * Reports on the error stream why a command does not progress. If a server delays an operation of a mount for two
 * seconds, the reason is reported once for each mount and reason. If a server does not respond for five seconds, this
 * is reported, and also the end of the silence.
 */
final class WaitingNotice implements AutoCloseable {
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Duration SILENT = Duration.ofSeconds(5);
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final Supplier<Collection<Mount>> mounts;
    private final PrintStream errors;

    @GuardedBy("this")
    private final Set<String> told = new HashSet<>();

    /** The reported servers that do not respond, by the name of their mount. */
    @GuardedBy("this")
    private final Map<String, String> silent = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    WaitingNotice(Supplier<Collection<Mount>> mounts, PrintStream errors) {
        this.mounts = mounts;
        this.errors = errors;
    }

    /** Starts a notice for the command that the calling thread runs. The notice ends when it is closed. */
    static WaitingNotice begin() {
        Process process = Process.Utils.current();
        WaitingNotice notice = new WaitingNotice(WaitingNotice::present, process == null ? System.err : process.err());
        LATER.execute(notice::watch);
        return notice;
    }

    private synchronized void watch() {
        if (!closed) {
            try {
                look(Instant.now());
            } finally {
                LATER.execute(this::watch); // even after a failure, because the next look may succeed
            }
        }
    }

    synchronized void look(Instant now) {
        for (Mount mount : mounts.get()) {
            lookForSilence(mount, now);
            Optional<DelayedOperation> waiting = mount.delayedOperation();
            if (waiting.isPresent()
                    && !waiting.get().since().plus(QUIET).isAfter(now)
                    && told.add(mount.name() + " " + waiting.get().status())) {
                say("waiting: mount " + mount.name() + ": " + waiting.get().message());
            }
        }
    }

    @GuardedBy("this")
    private void lookForSilence(Mount mount, Instant now) {
        Optional<UnresponsiveServer> silence = mount.unresponsiveServer();
        if (silence.isEmpty()) {
            String server = silent.remove(mount.name());
            if (server != null) {
                say("mount " + mount.name() + ": server " + server + " OK");
            }
        } else if (silence.get().length(now).compareTo(SILENT) >= 0
                && silent.put(mount.name(), Text.printable(silence.get().server())) == null) {
            say("mount " + mount.name() + ": " + Text.silence(silence.get(), now));
        }
    }

    private void say(String line) {
        errors.println(line);
        errors.flush();
    }

    private static Collection<Mount> present() {
        Bundle bundle = FrameworkUtil.getBundle(WaitingNotice.class);
        BundleContext context = bundle == null ? null : bundle.getBundleContext();
        if (context == null) {
            return List.of();
        }
        try {
            List<Mount> mounts = new ArrayList<>();
            for (ServiceReference<Mount> reference : context.getServiceReferences(Mount.class, null)) {
                // while the shell itself is replaced, services of the other revision are of another class
                Object service = context.getService((ServiceReference<?>) reference);
                if (service instanceof Mount mount) {
                    mounts.add(mount);
                }
                if (service != null) {
                    context.ungetService(reference); // called at once, and not used afterwards
                }
            }
            return mounts;
        } catch (InvalidSyntaxException | IllegalStateException e) {
            return List.of(); // the bundle is being stopped
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
