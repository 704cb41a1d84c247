package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.util.CacheShares;

/**
 * The heap that all exports of a process may take together.
 *
 * @param states what clients make them hold
 * @param caches what they know of the directories
 * @param maxStates the most opens, lock-owners and delegations of one client of an export
 */
public record ServerMemory(StateBudget states, CacheShares caches, int maxStates) {
    /** As the canonical constructor, with {@link StateTable#MAX_STATES}. */
    public ServerMemory(StateBudget states, CacheShares caches) {
        this(states, caches, StateTable.MAX_STATES);
    }

    /** A quarter of the heap for clients' state, three sixteenths for caches. */
    public static ServerMemory ofHeap() {
        return new ServerMemory(StateBudget.ofHeap(), CacheShares.ofHeap());
    }
}
