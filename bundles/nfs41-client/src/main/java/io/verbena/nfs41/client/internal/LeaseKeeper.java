package io.verbena.nfs41.client.internal;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Renews the lease while the mount is idle: at a third of it (RFC 8881 section 8.3); sees to who waits for a slot. */
final class LeaseKeeper {
    private final SessionKeeper sessions;
    private final Root root;
    private final ScheduledExecutorService worker;
    private ScheduledFuture<?> task;

    LeaseKeeper(SessionKeeper sessions, Root root, ScheduledExecutorService worker) {
        this.sessions = sessions;
        this.root = root;
        this.worker = worker;
    }

    synchronized void start() {
        task = worker.scheduleWithFixedDelay(this::check, 1, 1, TimeUnit.SECONDS);
    }

    private void check() {
        sessions.look();
        long third = TimeUnit.SECONDS.toNanos(root.leaseSeconds()) / 3;
        if (sessions.idleNanos() > third) {
            sessions.renew();
        }
    }

    synchronized void stop() {
        if (task != null) {
            task.cancel(false);
        }
    }
}
