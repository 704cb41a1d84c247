package io.verbena.cli;

import io.verbena.nfs.Mount;
import io.verbena.nfs.Waiting;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
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
 * Says on the error stream why a command stands still: what a mount waits for because its server puts it off, once it has
 * lasted for two seconds, and once for each mount and reason.
 */
final class WaitingNotice implements AutoCloseable {
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final Supplier<Collection<Mount>> mounts;
    private final PrintStream errors;
    private final Set<String> told = new HashSet<>();
    private boolean closed;

    WaitingNotice(Supplier<Collection<Mount>> mounts, PrintStream errors) {
        this.mounts = mounts;
        this.errors = errors;
    }

    /** For the command that this thread runs, until it is closed. */
    static WaitingNotice begin() {
        Process process = Process.Utils.current();
        WaitingNotice notice = new WaitingNotice(WaitingNotice::present, process == null ? System.err : process.err());
        LATER.execute(notice::watch);
        return notice;
    }

    private synchronized void watch() {
        if (!closed) {
            look(Instant.now());
            LATER.execute(this::watch);
        }
    }

    synchronized void look(Instant now) {
        for (Mount mount : mounts.get()) {
            Optional<Waiting> waiting = mount.waiting();
            if (waiting.isPresent()
                    && !waiting.get().since().plus(QUIET).isAfter(now)
                    && told.add(mount.name() + " " + waiting.get().status())) {
                errors.println(
                        "waiting: mount " + mount.name() + ": " + waiting.get().message());
                errors.flush();
            }
        }
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
                Mount mount = context.getService(reference);
                if (mount != null) {
                    mounts.add(mount);
                    context.ungetService(reference); // asked at once, and not used any more
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
