package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.state.Delegations;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.runtime.Runtime;

/**
 * The objects of a mount that all of its open files share.
 *
 * @param settings the mount's options
 * @param root the sizes of READ and WRITE
 * @param memory the source of buffers
 * @param delegations the delegations of the mount
 * @param lockWaiters the threads that wait for a lock
 * @param lifetime whether the mount takes operations
 * @param borrowers end operations that borrow a caller's buffer
 * @param runtime time, threads and random numbers
 */
public record FileContext(
        MountSettings settings,
        ExportRoot root,
        MountMemory memory,
        Delegations delegations,
        LockWaiters lockWaiters,
        MountLifetime lifetime,
        BorrowingFuture.Threads borrowers,
        Runtime runtime) {}
