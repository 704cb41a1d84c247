package io.verbena.memory.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.ShareUsage;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The budget of direct memory: it counts what its shares hold, and decides what each may take. {@link LeaseQueue} keeps
 * the requests that wait, {@link PressureCaller} asks users to give back. Both work on the thread of the budget, so
 * that a thread may give memory back while it holds any lock.
 */
public class DirectMemory implements MemoryBudget, AutoCloseable {
    /** The part of the budget that is left to small leases. */
    private static final int RESERVE = 16;

    /**
     * Where less than this part is free, all users are asked to give back, and not only those of the share that holds
     * too much.
     */
    private static final int PRESSED_BY_ALL = 4;

    private static final int SMALL_PAGES = SMALL / Slab.PAGE;

    private final Runtime runtime;
    private final ScheduledExecutorService worker;
    private final LeaseQueue queue;
    private final PressureCaller pressure;

    @GuardedBy("this")
    private final Arena arena;

    @GuardedBy("this")
    private final Map<String, Share> shares = new LinkedHashMap<>();

    @GuardedBy("this")
    private long limitPages;

    @GuardedBy("this")
    private long leasedPages;

    @GuardedBy("this")
    private boolean closed;

    /** A budget as large as the JVM's limits allow. */
    public DirectMemory() {
        this(JvmMemory.defaultLimit());
    }

    /** A budget on the machine's clock and threads. */
    public DirectMemory(long limitBytes) {
        this(limitBytes, new SystemRuntime());
    }

    public DirectMemory(long limitBytes, Runtime runtime) {
        this.runtime = runtime;
        limitPages = pagesOf(limitBytes);
        arena = new Arena(limitPages, runtime::nanoTime);
        worker = runtime.newScheduler("verbena-memory", 1);
        queue = new LeaseQueue(this, worker);
        pressure = new PressureCaller(this, worker);
    }

    /** The runtime on which threads wait for leases. */
    Runtime runtime() {
        return runtime;
    }

    private static long pagesOf(long bytes) {
        return Math.max(SMALL_PAGES, bytes / Slab.PAGE);
    }

    /** Sets another limit. Leases beyond it are given back over time. */
    public void limit(long limitBytes) {
        synchronized (this) {
            limitPages = pagesOf(limitBytes);
            arena.limit(limitPages);
        }
        queue.serveLater();
    }

    @Override
    public synchronized long limitBytes() {
        return limitPages * Slab.PAGE;
    }

    @Override
    public synchronized long leasedBytes() {
        return leasedPages * Slab.PAGE;
    }

    @Override
    public synchronized long allocatedBytes() {
        return arena.pages() * Slab.PAGE;
    }

    @Override
    public synchronized MemoryShare share(String owner) {
        return shares.computeIfAbsent(owner, name -> new Share(this, null, name))
                .use();
    }

    @Override
    public synchronized List<ShareUsage> holdings() {
        Map<Share, Integer> waiting = new HashMap<>();
        queue.addCounts(waiting);
        List<ShareUsage> all = new ArrayList<>();
        shares.values().forEach(share -> share.addHoldings(waiting, all));
        return all;
    }

    @Override
    public Runnable onPressure(Runnable giveBack) {
        return pressure.add(giveBack);
    }

    /** A lease, or null where there is no room now, or requests wait that go first. */
    synchronized Lease tryLease(LeaseRequest wanted) {
        Lease lease = queue.isBehindOthers(wanted) || wanted.share().isClosed() ? null : take(wanted);
        if (lease == null) {
            pressLater(wanted);
        }
        return lease;
    }

    /** As {@link #tryLease}, without regard to requests that wait. */
    synchronized Lease take(LeaseRequest wanted) {
        int pages = wanted.pages();
        if (!hasRoom(wanted) || !mayTake(wanted)) {
            return null;
        }
        Arena.Extent extent = arena.take(pages);
        if (extent == null) {
            return null;
        }
        Lease lease = null;
        try {
            lease = new Lease(wanted.share(), extent, wanted.bytes());
        } finally {
            if (lease == null) {
                arena.give(extent);
            }
        }
        leasedPages += pages;
        wanted.share().count(pages, 1);
        return lease;
    }

    /** Whether there is room for a lease, whatever its share holds. */
    synchronized boolean hasRoom(LeaseRequest wanted) {
        return leasedPages + wanted.pages() <= most(wanted);
    }

    /** Whether a lease would fit if nothing else was leased. */
    synchronized boolean canEverLease(LeaseRequest wanted) {
        return wanted.pages() <= most(wanted);
    }

    /** As {@link MemoryShare#request}. Throws nothing. */
    CompletableFuture<BufferLease> request(LeaseRequest wanted, Duration timeout) {
        return queue.request(wanted, timeout);
    }

    /** The most pages that may be leased in sum with a lease. */
    private synchronized long most(LeaseRequest wanted) {
        return wanted.ahead() ? limitPages : limitPages - limitPages / RESERVE;
    }

    /**
     * Whether a share, and each share that it is a part of, would hold no more than is free afterwards. Of a modest
     * part only the part itself is checked.
     */
    synchronized boolean mayTake(LeaseRequest wanted) {
        long free = limitPages - leasedPages - wanted.pages();
        boolean isModest = isModest(wanted);
        for (Share each = wanted.share(); each != null; each = isModest ? null : each.parent()) {
            if (!each.mayTake(wanted.pages(), free)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a part of a share holds little: such a part may take memory though other parts of its share hold too
     * much.
     */
    synchronized boolean isModest(LeaseRequest wanted) {
        Share share = wanted.share();
        return share.isModest(wanted.pages(), limitPages / 2)
                && share.root().mayTake(wanted.pages(), limitPages - limitPages / PRESSED_BY_ALL);
    }

    /** Takes back a lease. Any thread, which may hold any lock: requests that wait are served later. */
    void giveBack(Share share, Arena.Extent extent) {
        synchronized (this) {
            arena.give(extent);
            leasedPages -= extent.pages();
            share.count(-extent.pages(), -1);
            queue.serveLater();
        }
    }

    /** Has users asked to give back: all of them, or those of one share where that share alone holds too much. */
    synchronized void pressLater(LeaseRequest wanted) {
        boolean isOwn = hasRoom(wanted) && leasedPages < limitPages - limitPages / PRESSED_BY_ALL;
        pressure.askLater(isOwn ? List.of(wanted.share().root()) : shares.values(), !isOwn, closed);
    }

    /** Why there is no lease. */
    MemoryRefusedException refusal(LeaseRequest wanted, String when) {
        Share share = wanted.share();
        synchronized (this) {
            return new MemoryRefusedException(
                    "no direct memory for " + share.owner() + " " + when + ": it asked for "
                            + Octets.text(wanted.bytes()) + " and holds " + Octets.text(share.leasedBytes())
                            + ", all together hold "
                            + Octets.text(leasedBytes()) + " of the budget of " + Octets.text(limitBytes())
                            + "; raise -XX:MaxDirectMemorySize, or limit of " + MemoryConfiguration.PID,
                    wanted.bytes());
        }
    }

    /** Ends one use of a share. */
    void leave(Share share) {
        List<Waiter> refused = List.of();
        synchronized (this) {
            if (share.leave()) {
                shares.remove(share.name(), share);
                refused = queue.ofClosedShares();
            }
        }
        refused.forEach(waiter -> waiter.completeExceptionally(
                new MemoryRefusedException("the share of " + share.owner() + " was closed", waiter.wanted.bytes())));
    }

    /**
     * Refuses the requests that wait, and serves none any more. Free memory may still be leased by bundles that stop
     * after this service.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        queue.close();
        worker.shutdownNow();
    }
}
