package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of an idle mount after a third of it (RFC 8881 section 8.3), and dismisses requests that have waited
 * too long. Runs once a second on a worker thread.
 */
public final class LeaseKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    private final SessionKeeper sessions;
    private final ExportRoot root;
    private final ScheduledExecutorService worker;

    @GuardedBy("this")
    private ScheduledFuture<?> task;

    public LeaseKeeper(SessionKeeper sessions, ExportRoot root, ScheduledExecutorService worker) {
        this.sessions = sessions;
        this.root = root;
        this.worker = worker;
    }

    public synchronized void start() {
        task = worker.scheduleWithFixedDelay(this::check, 1, 1, TimeUnit.SECONDS);
    }

    /** Runs one check. A Throwable is logged: it would end the periodic task, and the lease would expire. */
    private void check() {
        try {
            checkNow();
        } catch (Throwable e) {
            LOG.warn("the lease could not be looked after, which is tried again: {}", e, e);
        }
    }

    private void checkNow() {
        sessions.dismissOverdue();
        long third = TimeUnit.SECONDS.toNanos(root.leaseSeconds()) / 3;
        if (sessions.idleNanos() > third) {
            sessions.renew();
        }
    }

    public synchronized void stop() {
        if (task != null) {
            task.cancel(false);
        }
    }
}
