package io.verbena.memory.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks users of a budget to give back what they can, on the budget's own thread: all of them, or those of some shares.
 * Thread safe, by the budget's lock.
 */
final class PressureCaller {
    private static final Logger LOG = LoggerFactory.getLogger(PressureCaller.class);

    private final DirectMemory budget;
    private final Executor worker;
    private final Set<Runnable> listeners = new CopyOnWriteArraySet<>();

    /** The shares whose users are to be asked. */
    @GuardedBy("budget")
    private final Set<Share> due = new LinkedHashSet<>();

    @GuardedBy("budget")
    private boolean allAreDue;

    PressureCaller(DirectMemory budget, Executor worker) {
        this.budget = budget;
        this.worker = worker;
    }

    /** Adds a listener that belongs to no share; the returned task removes it. */
    Runnable add(Runnable giveBack) {
        return PressureListener.add(listeners, giveBack);
    }

    /**
     * Has the users of some shares asked.
     *
     * @param isAll whether the listeners of no share are called too
     * @param isClosed whether the budget has no thread any more
     */
    void askLater(Collection<Share> shares, boolean isAll, boolean isClosed) {
        synchronized (budget) {
            boolean isDue = !due.isEmpty();
            due.addAll(shares);
            allAreDue |= isAll;
            if (isDue || isClosed) {
                return;
            }
            try {
                worker.execute(this::ask);
            } catch (Throwable e) { // no thread: the next request that finds no room tries again
                due.clear();
                LOG.warn("nobody could be asked to give back memory", e);
            }
        }
    }

    private void ask() {
        List<Share> asked;
        boolean isAll;
        synchronized (budget) {
            asked = List.copyOf(due);
            due.clear();
            isAll = allAreDue;
            allAreDue = false;
        }
        Set<Runnable> called = new LinkedHashSet<>(isAll ? listeners : Set.of());
        asked.forEach(share -> share.addPressureListeners(called));
        for (Runnable listener : called) {
            try {
                listener.run();
            } catch (Throwable e) { // the other listeners are called in any case
                LOG.warn("a listener that was to give back memory failed", e);
            }
        }
    }
}
