package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.util.CacheShares;

/**
 * The heap that all exports of a process may take together.
 *
 * @param states what clients make them hold
 * @param caches what they know of the directories
 */
public record ServerMemory(StateBudget states, CacheShares caches) {
    /** A quarter of the heap for clients' state, three sixteenths for caches. */
    public static ServerMemory ofHeap() {
        return new ServerMemory(StateBudget.ofHeap(), CacheShares.ofHeap());
    }
}
