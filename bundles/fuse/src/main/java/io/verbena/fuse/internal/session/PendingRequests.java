package io.verbena.fuse.internal.session;

import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.kernel.Errno;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests under way, and those of them that a program wants to end. Thread safe.
 *
 * <p>The kernel tells of a signal once. So an interrupted request is looked at again and again until it ends.
 */
final class PendingRequests {
    private static final Logger LOG = LoggerFactory.getLogger(PendingRequests.class);

    private final Device device;
    private final BooleanSupplier isServerSilent;
    private final Map<Long, PendingRequest> all = new ConcurrentHashMap<>();
    private final Set<PendingRequest> interrupted = ConcurrentHashMap.newKeySet();
    /** Whether a look waits for its thread. */
    private final AtomicBoolean isLookedAt = new AtomicBoolean();

    /** @param isServerSilent whether the server has not answered for a while */
    PendingRequests(Device device, BooleanSupplier isServerSilent) {
        this.device = device;
        this.isServerSilent = isServerSilent;
    }

    void add(PendingRequest pending) {
        all.put(pending.request().unique(), pending);
    }

    void remove(PendingRequest pending) {
        all.remove(pending.request().unique(), pending);
        interrupted.remove(pending);
    }

    /** A program has got a signal while it waits for this request. */
    void interrupt(long unique) {
        PendingRequest pending = all.get(unique);
        if (pending == null) {
            return;
        }
        interrupted.add(pending);
        look(pending);
        if (!all.containsKey(unique)) {
            interrupted.remove(pending);
        }
    }

    /**
     * Has the requests looked at that may have to end, where there may be some; cheap. Called several times a second:
     * what is thrown would end that.
     */
    void lookBy(Executor executor) {
        try {
            if (mayLook() && isLookedAt.compareAndSet(false, true)) {
                lookOnce(executor);
            }
        } catch (Throwable e) { // the mount has ended, or the host gives no thread: the next call is soon
            LOG.debug("requests are not looked at now", e);
        }
    }

    /** Looks which wait for a thread would be ever more. */
    private void lookOnce(Executor executor) {
        boolean begun = false;
        try {
            executor.execute(this::look);
            begun = true;
        } finally {
            if (!begun) {
                isLookedAt.set(false);
            }
        }
    }

    private boolean mayLook() {
        return !interrupted.isEmpty() || (!all.isEmpty() && isServerSilent.getAsBoolean());
    }

    /** Reads /proc where there are requests that may have to end. */
    private void look() {
        isLookedAt.set(false); // first: what comes meanwhile is looked at by the next one
        interrupted.forEach(this::look);
        if (isServerSilent.getAsBoolean()) {
            for (PendingRequest each : all.values()) {
                // close(2) of a program at its end waits without a signal; RELEASE goes on with the data
                if (each.isFlush() && Callers.isExiting(each.request().pid())) {
                    cancel(each);
                }
            }
        }
    }

    private void look(PendingRequest pending) {
        if (pending.endsBySignal() || Callers.isKilled(pending.request().pid())) {
            cancel(pending);
        }
    }

    private void cancel(PendingRequest pending) {
        if (pending.cancel()) {
            device.fail(pending.request().unique(), Errno.EINTR);
            remove(pending);
        }
    }

    /** Ends all requests of programs: the mount has ended. What closes a file goes on. */
    void cancelAll() {
        for (PendingRequest each : all.values()) {
            if (!each.closes()) {
                cancel(each);
            }
        }
    }
}
