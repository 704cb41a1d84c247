package io.verbena.memory.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Direct memory in slabs. An unused slab is kept for a while, and dropped when there are many. Guarded by the lock of
 * the budget.
 */
final class Arena {
    private static final int LARGEST_SLAB_PAGES = 1024;
    private static final int SMALLEST_SLAB_PAGES = 64;
    private static final int SLABS_OF_LIMIT = 16;

    /** The number of unused slabs that are always kept. */
    private static final int KEPT = 4;

    /** How long the JVM is not asked again after it had no memory: it collects garbage at each attempt. */
    private static final long REFUSED_NANOS = 1_000_000_000L;

    /** A run of pages. */
    record Extent(Slab slab, int from, int pages) {}

    private final List<Slab> slabs = new ArrayList<>();
    private final LongSupplier clock;
    private long limitPages;
    private long pages;
    private boolean refused;
    private long refusedAt;

    /**
     * @param clock in nanoseconds
     */
    Arena(long limitPages, LongSupplier clock) {
        this.limitPages = limitPages;
        this.clock = clock;
    }

    void limit(long newLimitPages) {
        limitPages = newLimitPages;
        dropUnused(0);
    }

    /** All pages of all slabs. */
    long pages() {
        return pages;
    }

    /** Takes a run of pages; null where there is none. */
    Extent take(int count) {
        for (int i = 0; i < slabs.size(); i++) {
            Extent extent = take(slabs.get(i), count);
            if (extent != null) {
                return extent;
            }
        }
        Slab fresh = grow(count);
        return fresh == null ? null : take(fresh, count);
    }

    private static Extent take(Slab slab, int count) {
        int from = slab.take(count);
        return from < 0 ? null : new Extent(slab, from, count);
    }

    private Slab grow(int count) {
        if (refused && clock.getAsLong() - refusedAt < REFUSED_NANOS) {
            return null;
        }
        int size = Math.max(count, slabPages());
        if (pages + size > limitPages) {
            size = count;
        }
        if (pages + size > limitPages) {
            dropUnused(0);
        }
        if (pages + size > limitPages) {
            return null;
        }
        try {
            Slab slab = new Slab(size);
            refused = false;
            pages += size;
            slabs.add(slab);
            return slab;
        } catch (OutOfMemoryError e) { // others in the process hold it
            refused = true;
            refusedAt = clock.getAsLong();
            return null;
        }
    }

    private int slabPages() {
        return (int) Math.max(SMALLEST_SLAB_PAGES, Math.min(LARGEST_SLAB_PAGES, limitPages / SLABS_OF_LIMIT));
    }

    void give(Extent extent) {
        extent.slab().give(extent.from(), extent.pages());
        if (extent.slab().isUnused()) {
            int unused = (int) slabs.stream().filter(Slab::isUnused).count();
            int inUse = slabs.size() - unused;
            if (unused > KEPT + inUse / 2 || pages > limitPages) {
                drop(extent.slab());
            }
        }
    }

    /** Drops unused slabs, except some. */
    void dropUnused(int kept) {
        List<Slab> unused = slabs.stream().filter(Slab::isUnused).toList();
        unused.stream().skip(kept).forEach(this::drop);
    }

    private void drop(Slab slab) {
        slabs.remove(slab);
        pages -= slab.pages(); // the JVM has it back when the garbage is collected, and collects when it lacks memory
    }
}
