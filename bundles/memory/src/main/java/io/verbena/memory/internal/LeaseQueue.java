package io.verbena.memory.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of a budget that wait for their leases. They are served in their order, on the thread of the budget.
 * While one waits for memory that is not free, those behind it wait too, except those that go ahead. Thread safe, by
 * the lock of the budget.
 */
final class LeaseQueue {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseQueue.class);

    /** The period after which the thread looks again, while a request waits. */
    private static final int LOOK_AGAIN_SECONDS = 1;

    private final DirectMemory budget;
    private final ScheduledExecutorService worker;

    @GuardedBy("budget")
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    /** Whether a request waits for memory, and not only until its own share has less. */
    @GuardedBy("budget")
    private boolean isShort;

    @GuardedBy("budget")
    private boolean servingIsDue;

    @GuardedBy("budget")
    private boolean lookingIsDue;

    @GuardedBy("budget")
    private boolean closed;

    LeaseQueue(DirectMemory budget, ScheduledExecutorService worker) {
        this.budget = budget;
        this.worker = worker;
    }

    /** Adds how many requests of each share wait. */
    void addCounts(Map<Share, Integer> counts) {
        synchronized (budget) {
            waiters.forEach(waiter -> counts.merge(waiter.share(), 1, Integer::sum));
        }
    }

    /** Whether a lease has to wait for the requests that wait already. */
    boolean isBehindOthers(LeaseRequest wanted) {
        synchronized (budget) {
            return !wanted.ahead() && (isShort || (isAwaited(wanted.share()) && !budget.isModest(wanted)));
        }
    }

    @GuardedBy("budget")
    private boolean isAwaited(Share share) {
        if (waiters.isEmpty()) {
            return false;
        }
        Share root = share.root();
        return waiters.stream().anyMatch(waiter -> waiter.share().root() == root);
    }

    /** As {@link MemoryShare#request}. Throws nothing. */
    CompletableFuture<BufferLease> request(LeaseRequest wanted, Duration timeout) {
        Waiter waiter = new Waiter(wanted);
        try {
            synchronized (budget) {
                Lease lease = budget.tryLease(wanted);
                if (lease != null) {
                    return CompletableFuture.completedFuture(lease);
                }
                if (closed || wanted.share().isClosed() || !budget.canEverLease(wanted)) {
                    return CompletableFuture.failedFuture(budget.refusal(wanted, "ever"));
                }
                Future<?> end = worker.schedule(
                        () -> {
                            MemoryRefusedException refusal =
                                    budget.refusal(wanted, "within " + timeout.toMillis() + " ms");
                            try {
                                forget(waiter); // before its owner hears of it
                            } finally {
                                waiter.completeExceptionally(refusal);
                            }
                        },
                        timeout.toNanos(),
                        TimeUnit.NANOSECONDS);
                Futures.whenOver(waiter, () -> {
                    end.cancel(false);
                    forget(waiter);
                });
                waiters.add(waiter);
                isShort |= isShortOf(waiter);
            }
        } catch (Throwable e) { // without a thread to end the wait there is no wait
            LOG.warn(
                    "no direct memory for {}, and no way to wait for it",
                    wanted.share().owner(),
                    e);
            waiter.completeExceptionally(budget.refusal(wanted, "now"));
            return waiter;
        }
        serveLater(); // memory that was given back before the request waited was not offered to it
        return waiter;
    }

    /** Whether a request waits for memory itself, and not for its own share to have less. */
    private boolean isShortOf(Waiter waiter) {
        return !budget.hasRoom(waiter.wanted) || budget.mayTake(waiter.wanted);
    }

    /** A request is over: those behind it may go. */
    private void forget(Waiter waiter) {
        synchronized (budget) {
            if (!waiters.remove(waiter)) {
                return;
            }
            isShort = waiters.stream().anyMatch(this::isShortOf);
        }
        serveLater();
    }

    /** Has the budget's thread give what there is to the requests that wait. Any thread, with any lock held. */
    void serveLater() {
        synchronized (budget) {
            if (servingIsDue || waiters.isEmpty() || closed) {
                return;
            }
            servingIsDue = true;
            try {
                worker.execute(this::serve);
            } catch (Throwable e) { // no thread: the next lease that is closed tries again, and every wait has an end
                servingIsDue = false;
                LOG.warn("the requests that wait for memory could not be served", e);
            }
        }
    }

    /** Gives what there is to the requests that wait, in their order. The budget's thread. */
    private void serve() {
        synchronized (budget) {
            servingIsDue = false;
        }
        try {
            for (Grant grant = next(); grant != null; grant = next()) {
                grant.waiter().grant(grant.lease());
            }
            lookAgainLater();
        } catch (Throwable e) {
            LOG.warn("the requests that wait for memory could not be served", e);
        }
    }

    /**
     * While a request waits, the thread looks again after a second: the JVM may have memory again that it had not, and
     * whoever can give back is asked again.
     */
    private void lookAgainLater() {
        synchronized (budget) {
            if (lookingIsDue || waiters.isEmpty() || closed) {
                return;
            }
            Future<?> unused = worker.schedule(
                    () -> {
                        synchronized (budget) {
                            lookingIsDue = false;
                        }
                        serve();
                    },
                    LOOK_AGAIN_SECONDS,
                    TimeUnit.SECONDS);
            lookingIsDue = true; // set after the call that may throw; the task needs this lock
        }
    }

    private record Grant(Waiter waiter, Lease lease) {}

    /** The first request that can be served, with its lease; null where none can. */
    private Grant next() {
        synchronized (budget) {
            isShort = false;
            Set<Share> behind = new HashSet<>();
            for (Iterator<Waiter> each = waiters.iterator(); each.hasNext(); ) {
                Waiter waiter = each.next();
                boolean isBehindOthers = !waiter.wanted.ahead()
                        && (isShort || (behind.contains(waiter.share().root()) && !budget.isModest(waiter.wanted)));
                Lease lease = isBehindOthers ? null : budget.take(waiter.wanted);
                if (lease != null) {
                    each.remove();
                    return new Grant(waiter, lease);
                }
                isShort |= isShortOf(waiter);
                behind.add(waiter.share().root());
                budget.pressLater(waiter.wanted);
            }
            return null;
        }
    }

    /** The requests that wait for a lease of a closed share. */
    List<Waiter> ofClosedShares() {
        synchronized (budget) {
            return waiters.stream().filter(waiter -> waiter.share().isClosed()).toList();
        }
    }

    /** Refuses the requests that wait, and those to come. Without the lock. */
    void close() {
        List<Waiter> left;
        synchronized (budget) {
            closed = true;
            left = List.copyOf(waiters);
        }
        left.forEach(waiter -> waiter.completeExceptionally(
                new MemoryRefusedException("the service of direct memory was stopped", waiter.wanted.bytes())));
    }
}
