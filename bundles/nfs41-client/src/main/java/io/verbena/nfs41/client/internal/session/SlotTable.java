package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * The slot table of a session's fore channel (RFC 8881 section 2.10.6.1). A request that finds no free slot waits in a
 * queue. The table grants the lowest free slot first, so that the server can take back the higher ones. Thread safe;
 * waiters are called outside of the lock.
 */
public final class SlotTable {
    /** A request that wants a slot. */
    interface Waiter {
        void granted(Slot slot);

        /** The session has ended, or ends; no slot will be granted. */
        void refused();

        /** When the request began to wait, on the clock of the runtime. */
        long sinceNanos();

        /** Why the request must not wait any longer; null while it may wait. */
        IOException giveUpReason();

        /** The request has left the queue without a slot. */
        void dismissed(Throwable why);
    }

    /** The grants that wait for the end of the one that this thread makes; null where it makes none. */
    private static final ThreadLocal<Deque<Runnable>> GRANTS = new ThreadLocal<>();

    private final Slot[] slots;

    @GuardedBy("this")
    private final BitSet busy = new BitSet();

    @GuardedBy("this")
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    @GuardedBy("this")
    private int limit;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private Runnable onIdle;

    SlotTable(int size) {
        slots = new Slot[size];
        for (int i = 0; i < size; i++) {
            slots[i] = new Slot(i);
        }
        limit = size;
    }

    /** Grants a slot now or later. */
    void acquire(Waiter waiter) {
        Slot slot = null;
        boolean refused;
        synchronized (this) {
            refused = closed;
            if (!refused) {
                slot = waiters.isEmpty() ? takeFree() : null;
                if (slot == null) {
                    waiters.add(waiter);
                }
            }
        }
        if (refused) {
            waiter.refused();
        } else if (slot != null) {
            waiter.granted(slot);
        }
    }

    @GuardedBy("this")
    private Slot takeFree() {
        int free = busy.nextClearBit(0);
        if (free >= limit) {
            return null;
        }
        busy.set(free);
        return slots[free];
    }

    public void release(Slot slot) {
        Waiter next;
        Slot granted = null;
        Runnable idle;
        synchronized (this) {
            busy.clear(slot.id());
            idle = takeOnIdle();
            next = closed ? null : waiters.peek();
            if (next != null) {
                granted = takeFree();
                if (granted != null) {
                    waiters.remove();
                }
            }
        }
        if (granted != null) {
            grant(next, granted);
        }
        if (idle != null) {
            idle.run();
        }
    }

    /**
     * Grants a slot to a request that has waited. A request may end at once, and its slot go to the next one: a grant
     * within a grant of the same thread waits for the end of that, as a call within a call would fill the stack where
     * thousands end so.
     */
    private static void grant(Waiter waiter, Slot slot) {
        Deque<Runnable> outer = GRANTS.get();
        if (outer != null) {
            outer.add(() -> waiter.granted(slot));
            return;
        }
        Deque<Runnable> nested = new ArrayDeque<>(2);
        GRANTS.set(nested);
        Throwable thrown = null;
        try {
            nested.add(() -> waiter.granted(slot));
            for (Runnable next = nested.poll(); next != null; next = nested.poll()) {
                try {
                    next.run();
                } catch (Throwable e) { // the others have their slots all the same
                    thrown = thrown == null ? e : thrown;
                }
            }
        } finally {
            GRANTS.remove();
        }
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        } else if (thrown instanceof Error error) {
            throw error;
        }
    }

    @GuardedBy("this")
    private Runnable takeOnIdle() {
        if (!busy.isEmpty()) {
            return null;
        }
        Runnable idle = onIdle;
        onIdle = null;
        return idle;
    }

    /** The highest slot in use: {@code sa_highest_slotid}. */
    synchronized int highestUsed() {
        return Math.max(0, busy.length() - 1);
    }

    /**
     * Sets the highest slot to use, as the server asks by {@code sr_target_highest_slotid}, and grants slots that this
     * frees.
     */
    void target(int highestSlotId) {
        List<Runnable> grants = new ArrayList<>(0);
        synchronized (this) {
            int wished = highestSlotId < 0 ? slots.length : Math.min(highestSlotId, slots.length - 1) + 1;
            if (wished == limit) {
                return;
            }
            limit = wished;
            while (!closed && !waiters.isEmpty()) {
                Slot slot = takeFree();
                if (slot == null) {
                    break;
                }
                Waiter waiter = waiters.remove();
                grants.add(() -> waiter.granted(slot));
            }
        }
        grants.forEach(Runnable::run);
    }

    /** Refuses the waiting requests and all that come later. */
    void close() {
        drain(() -> {});
    }

    /**
     * Refuses the waiting requests and all that come later. Requests that hold a slot go on to their end.
     *
     * @param whenIdle run once no slot is in use any more
     */
    public void drain(Runnable whenIdle) {
        List<Waiter> refused;
        Runnable idle;
        synchronized (this) {
            closed = true;
            refused = new ArrayList<>(waiters);
            waiters.clear();
            onIdle = whenIdle;
            idle = takeOnIdle();
        }
        refused.forEach(Waiter::refused);
        if (idle != null) {
            idle.run();
        }
    }

    /**
     * Dismisses the waiting requests that must not wait any longer.
     *
     * @param judge returns why a request must not wait any longer, or null
     */
    void dismiss(Function<Waiter, ? extends Throwable> judge) {
        List<Waiter> present;
        synchronized (this) {
            present = waiters.isEmpty() ? List.of() : List.copyOf(waiters);
        }
        for (Waiter waiter : present) {
            Throwable why = judge.apply(waiter);
            if (why != null && withdraw(waiter)) {
                waiter.dismissed(why);
            }
        }
    }

    /** Removes a waiting request from the queue. False where the request was granted a slot or refused meanwhile. */
    synchronized boolean withdraw(Waiter waiter) {
        return waiters.remove(waiter);
    }

    /** Whether the request with that slot and sequence number has no reply yet. */
    synchronized boolean isOutstanding(int slotId, int sequenceId) {
        return slotId >= 0 && slotId < slots.length && busy.get(slotId) && slots[slotId].sequenceId() == sequenceId;
    }

    /** How many requests are under way. */
    public synchronized int inUse() {
        return busy.cardinality();
    }

    /** How many wait for a slot. */
    public synchronized int waiting() {
        return waiters.size();
    }

    public synchronized int limit() {
        return limit;
    }
}
