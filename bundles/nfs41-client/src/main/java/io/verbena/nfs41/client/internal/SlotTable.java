package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * The slots of a session. Who finds none free waits in line; the lowest free slot is taken first, so that the server can
 * take the higher ones back (RFC 8881 section 2.10.6.1). Thread safe; no callback is made under the lock.
 */
final class SlotTable {
    /** Who wants a slot. */
    interface Waiter {
        void granted(Slot slot);

        /** The session is gone. */
        void refused();

        /** Since when, on the clock of {@link System#nanoTime}. */
        long sinceNanos();

        /** Why it is not to wait any longer; null where it is. */
        IOException impatience();

        /** It waits no longer. */
        void dismissed(Throwable why);
    }

    private final Slot[] slots;
    private final BitSet busy = new BitSet();
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private int limit;
    private boolean closed;
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

    private Slot takeFree() {
        int free = busy.nextClearBit(0);
        if (free >= limit) {
            return null;
        }
        busy.set(free);
        return slots[free];
    }

    void release(Slot slot) {
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
            next.granted(granted);
        }
        if (idle != null) {
            idle.run();
        }
    }

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

    /** Takes the server's wish, {@code sr_target_highest_slotid}; more slots may serve those who wait. */
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

    /** Refuses those who wait and who come. */
    void close() {
        drain(() -> {});
    }

    /**
     * Refuses those who wait and who come, while what is under way goes on to its end.
     *
     * @param whenIdle run once no slot is in use any more
     */
    void drain(Runnable whenIdle) {
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
     * Sends those away who wait and are not to wait any longer.
     *
     * @param judge tells why, or null for who may stay
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

    /** False where it was granted a slot meanwhile, or refused. */
    private synchronized boolean withdraw(Waiter waiter) {
        return waiters.remove(waiter);
    }

    /** Whether that request, by its slot and number, has no reply yet. */
    synchronized boolean isOutstanding(int slotId, int sequenceId) {
        return slotId >= 0 && slotId < slots.length && busy.get(slotId) && slots[slotId].sequenceId() == sequenceId;
    }

    /** How many requests are under way. */
    synchronized int inUse() {
        return busy.cardinality();
    }

    /** How many wait for a slot. */
    synchronized int waiting() {
        return waiters.size();
    }

    synchronized int limit() {
        return limit;
    }
}
