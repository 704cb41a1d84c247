package io.verbena.nfs41.server.internal.util;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap that caches of one kind may take, of all exports together. Each cache has a {@link Part}. If the share is
 * exceeded, the caches that hold more than an equal part of it are told, and drop some of their entries soon. A cache
 * refuses no request, and a cache below its part drops nothing. Thread safe.
 */
public final class HeapShare {
    private final long limit;
    private final AtomicLong held = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param limit octets
     */
    public HeapShare(long limit) {
        this.limit = limit;
    }

    /** A part of the heap that this JVM may have. */
    public static HeapShare ofHeap(int divisor) {
        return new HeapShare(Runtime.getRuntime().maxMemory() / divisor);
    }

    /** For one cache. It counts while it holds something. */
    public Part part() {
        return new Part();
    }

    /** What one cache holds of the share. Thread safe. */
    public final class Part {
        private final AtomicLong own = new AtomicLong();

        private Part() {}

        /** More is held, or less. */
        public void add(long octets) {
            long before = own.getAndAdd(octets);
            if (before == 0 && octets > 0) {
                holders.incrementAndGet();
            } else if (before > 0 && before + octets == 0) {
                holders.decrementAndGet();
            }
            held.addAndGet(octets);
        }

        /** Whether the caches hold more than so much, and this one more than its part of that. */
        public boolean isAbove(long bound) {
            return held.get() > bound && own.get() > bound / Math.max(1, holders.get());
        }

        /** This cache takes more, within its part: where the share is exceeded, others are told to drop some. */
        public void askOthers() {
            if (held.get() > limit) {
                listeners.forEach(Runnable::run);
            }
        }

        /** The octets that this cache may take: the larger of the free octets and the unused rest of its own part. */
        public long spare() {
            long mine = own.get();
            int sharing = Math.max(1, holders.get() + (mine == 0 ? 1 : 0));
            return Math.max(limit - held.get(), limit / sharing - mine);
        }
    }

    /**
     * Adds a listener, which is called when caches must shrink to their parts.
     *
     * @param listener called on the thread that needs room, which may hold locks: it must not block
     */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    public void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    public long limit() {
        return limit;
    }

    public long held() {
        return held.get();
    }
}
