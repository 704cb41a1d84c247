package io.verbena.nfs41.client.internal.util;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Bounded waits for a shared future, as of a session or a connection. One periodic check ends the waits that are
 * overdue, instead of a timer for each. Thread safe.
 */
public final class BoundedWaits {
    private final Set<Wait<?>> waits = ConcurrentHashMap.newKeySet();

    private record Wait<T>(CompletableFuture<T> future, Supplier<IOException> giveUpReason) {
        private void dismissIfOverdue() {
            IOException why = giveUpReason.get();
            if (why != null) {
                future.completeExceptionally(why);
            }
        }
    }

    /**
     * A future of its own for one waiter, with a bound.
     *
     * @param giveUpReason returns why the waiter must not wait any longer, or null
     */
    public <T> CompletableFuture<T> of(CompletableFuture<T> awaited, Supplier<IOException> giveUpReason) {
        if (awaited.isDone()) {
            return awaited;
        }
        Wait<T> wait = new Wait<>(awaited.copy(), giveUpReason);
        waits.add(wait);
        Futures.whenDoneLogged(wait.future(), (value, thrown) -> waits.remove(wait));
        return wait.future();
    }

    /** Fails the waits that are overdue. The lease keeper calls this periodically. */
    public void dismissOverdue() {
        waits.forEach(Wait::dismissIfOverdue);
    }

    /** Whether nobody waits. */
    public boolean isEmpty() {
        return waits.isEmpty();
    }

    int size() {
        return waits.size();
    }
}
