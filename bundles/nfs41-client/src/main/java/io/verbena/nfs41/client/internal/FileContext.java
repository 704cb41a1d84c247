package io.verbena.nfs41.client.internal;

/**
 * What the open files of a mount work with.
 *
 * @param settings the mount's options
 * @param root the sizes of READ and WRITE
 * @param pool the buffers
 * @param delegations what is known without asking
 * @param lockWaiters who waits for a lock
 * @param lifetime whether the mount takes operations
 */
record FileContext(
        MountSettings settings,
        Root root,
        BufferPool pool,
        Delegations delegations,
        LockWaiters lockWaiters,
        Lifetime lifetime) {}
