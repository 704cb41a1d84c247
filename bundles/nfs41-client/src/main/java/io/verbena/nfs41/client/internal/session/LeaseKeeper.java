package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of an idle mount after a part of it that is chosen at random (RFC 8881 section 8.3), and dismisses
 * requests that have waited too long. The timer that all mounts share looks once a second whether there is something to
 * do. A thread for that alone does it: the worker threads of the mount may all wait for the server themselves.
 */
public final class LeaseKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final SessionKeeper sessions;
    private final ExportRoot root;
    private final ExecutorService thread;
    private final Runtime runtime;
    private final RenewalPause pause;
    private final AtomicBoolean isChecking = new AtomicBoolean();

    @GuardedBy("this")
    private Future<?> task;

    /** @param prefix of the name of the thread */
    public LeaseKeeper(SessionKeeper sessions, ExportRoot root, Runtime runtime, String prefix) {
        this.sessions = sessions;
        this.root = root;
        this.runtime = runtime;
        this.thread = runtime.newExecutor(prefix, 1, IDLE);
        this.pause = new RenewalPause(runtime.random()::nextDouble);
    }

    public synchronized void start() {
        task = runtime.runRepeatedly(this::look, PERIOD_NANOS);
    }

    /** Begins a check where there is something to do. A Throwable is logged: it would end the repetition. */
    private void look() {
        try {
            if ((isRenewalDue() || sessions.hasWaiting()) && isChecking.compareAndSet(false, true)) {
                begin();
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void begin() {
        boolean isBegun = false;
        try {
            thread.execute(this::check);
            isBegun = true;
        } catch (RejectedExecutionException e) {
            LOG.debug("the mount ends", e);
        } finally {
            if (!isBegun) {
                isChecking.set(false);
            }
        }
    }

    private void check() {
        try {
            sessions.dismissOverdue();
            if (isRenewalDue()) {
                pause.next();
                sessions.renew();
            }
        } catch (Throwable e) {
            failed(e);
        } finally {
            isChecking.set(false);
        }
    }

    private boolean isRenewalDue() {
        return sessions.idleNanos() > pause.nanos(root.leaseSeconds());
    }

    private static void failed(Throwable e) {
        LOG.warn("the lease could not be looked after, which is tried again: {}", e, e);
    }

    public void stop() {
        synchronized (this) {
            if (task != null) {
                task.cancel(false);
            }
        }
        thread.shutdown();
    }

    /** Waits for the end of the thread after {@link #stop}; returns whether the thread has ended. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return runtime.awaitEnd(thread, nanos);
    }
}
