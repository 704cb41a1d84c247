package io.verbena.memory.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.ShareUsage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A share, or a part of one. The lock of {@link DirectMemory} guards it. */
final class Share implements MemoryShare {
    private final DirectMemory budget;
    private final Share parent;
    private final String name;
    private final Set<Runnable> pressureListeners = new CopyOnWriteArraySet<>();

    @GuardedBy("budget")
    private final Map<String, Share> parts = new LinkedHashMap<>();

    @GuardedBy("budget")
    private long leasedPages;

    @GuardedBy("budget")
    private int leases;

    @GuardedBy("budget")
    private int users;

    Share(DirectMemory budget, Share parent, String name) {
        this.budget = budget;
        this.parent = parent;
        this.name = name;
    }

    DirectMemory budget() {
        return budget;
    }

    Share parent() {
        return parent;
    }

    String name() {
        return name;
    }

    @Override
    public String owner() {
        return parent == null ? name : parent.owner() + ", " + name;
    }

    @Override
    public long leasedBytes() {
        synchronized (budget) {
            return leasedPages * Slab.PAGE;
        }
    }

    /** Adds to the memory that this share holds; the figures of a lease that ends are negative. */
    void count(int pages, int count) {
        synchronized (budget) {
            leasedPages += pages;
            leases += count;
        }
        if (parent != null) {
            parent.count(pages, count);
        }
    }

    /**
     * Whether this share may take pages.
     *
     * @param most the most pages that the share may hold then
     */
    boolean mayTake(int pages, long most) {
        synchronized (budget) {
            return leasedPages == 0 || leasedPages + pages <= most;
        }
    }

    /**
     * Whether this is a part that holds little, even with further pages: at most an equal part of the memory that all
     * parts of its share may hold.
     *
     * @param most the most pages that all parts may hold
     */
    boolean isModest(int pages, long most) {
        synchronized (budget) {
            return parent != null && leasedPages + pages <= most / Math.max(1, parent.partCount());
        }
    }

    private int partCount() {
        synchronized (budget) {
            return parts.size();
        }
    }

    /** A part of that name, with one user more. */
    Share usePart(String owner) {
        synchronized (budget) {
            if (users == 0) {
                throw new IllegalStateException("the share of " + owner() + " is closed");
            }
            return parts.computeIfAbsent(owner, name -> new Share(budget, this, name))
                    .use();
        }
    }

    Share use() {
        synchronized (budget) {
            users++;
            return this;
        }
    }

    /**
     * Ends one use.
     *
     * @return whether it was the last
     */
    boolean leave() {
        synchronized (budget) {
            if (users == 0) {
                return false;
            }
            users--;
            if (users == 0 && parent != null) {
                parent.forget(this);
            }
            return users == 0;
        }
    }

    private void forget(Share part) {
        synchronized (budget) {
            parts.remove(part.name);
        }
    }

    boolean isClosed() {
        synchronized (budget) {
            return users == 0 || (parent != null && parent.isClosed());
        }
    }

    /** Adds the memory that this share and its parts hold. */
    void addHoldings(Map<Share, Integer> waiting, List<ShareUsage> all) {
        synchronized (budget) {
            all.add(new ShareUsage(
                    owner(), leasedPages * Slab.PAGE, leases, waiting.getOrDefault(this, 0), parent != null));
            parts.values().forEach(part -> part.addHoldings(waiting, all));
        }
    }

    /** Adds the listeners of this share and its parts. */
    void addPressureListeners(Set<Runnable> all) {
        all.addAll(pressureListeners);
        List<Share> copy;
        synchronized (budget) {
            copy = List.copyOf(parts.values());
        }
        copy.forEach(part -> part.addPressureListeners(all));
    }

    /** The share itself, or the share of the budget that it is a part of. */
    Share root() {
        return parent == null ? this : parent.root();
    }

    @Override
    public MemoryShare part(String owner) {
        return usePart(owner);
    }

    @Override
    public BufferLease tryLease(int bytes) {
        return budget.tryLease(new LeaseRequest(this, bytes, false));
    }

    @Override
    public BufferLease lease(int bytes) throws MemoryRefusedException {
        return lease(new LeaseRequest(this, bytes, false));
    }

    @Override
    public BufferLease leaseAhead(int bytes) throws MemoryRefusedException {
        return lease(new LeaseRequest(this, bytes, true));
    }

    private BufferLease lease(LeaseRequest wanted) throws MemoryRefusedException {
        BufferLease lease = budget.tryLease(wanted);
        if (lease == null) {
            throw budget.refusal(wanted, "now");
        }
        return lease;
    }

    @Override
    public CompletableFuture<BufferLease> request(int bytes, Duration timeout) {
        return budget.request(new LeaseRequest(this, bytes, false), timeout);
    }

    @Override
    public BufferLease await(int bytes, Duration timeout) throws MemoryRefusedException, InterruptedException {
        return await(new LeaseRequest(this, bytes, false), timeout);
    }

    @Override
    public BufferLease awaitAhead(int bytes, Duration timeout) throws MemoryRefusedException, InterruptedException {
        return await(new LeaseRequest(this, bytes, true), timeout);
    }

    private BufferLease await(LeaseRequest wanted, Duration timeout)
            throws MemoryRefusedException, InterruptedException {
        CompletableFuture<BufferLease> request = budget.request(wanted, timeout);
        try {
            return budget.runtime().await(request, Long.MAX_VALUE); // the request ends by itself after the time-out
        } catch (InterruptedException e) {
            if (!request.cancel(false) && !request.isCompletedExceptionally()) {
                request.getNow(null).close(); // the lease came before the cancel
            }
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MemoryRefusedException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Runnable onPressure(Runnable giveBack) {
        return PressureListener.add(pressureListeners, giveBack);
    }

    @Override
    public void close() {
        budget.leave(this);
    }

    @Override
    public String toString() {
        return owner();
    }
}
