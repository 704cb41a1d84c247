package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_SERVERFAULT;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;

/**
 * The byte-range locks of all clients: LOCK, LOCKT and LOCKU (RFC 8881 sections 9 and 18.10 to 18.12). Thread safe; its
 * lock is {@link StateTable}'s.
 */
public final class LockTable {
    /** How many ranges of a file a client may have locked. */
    static final int MAX_RANGES = 8192;

    private static final long RANGE = StateKind.LOCKED_RANGES.octets();

    private final StateTable states;

    public LockTable(StateTable states) {
        this.states = states;
    }

    /**
     * Locks a range as a new lock-owner of an open.
     *
     * @throws LockDeniedException where somebody else's lock is in the way
     */
    public StateId lock(Client client, StateId openId, Opaque owner, Inode inode, LockRequest request)
            throws NfsError, LockDeniedException {
        synchronized (states) {
            OpenState open = states.requireOpen(client, openId, inode);
            LockState lock = open.locks().stream()
                    .filter(each -> each.owner().equals(owner))
                    .findFirst()
                    .orElse(null);
            long last = check(open, owner, request);
            boolean isNew = lock == null;
            if (isNew) {
                lock = states.addLockOwner(open, owner);
            }
            try {
                lock(lock, inode, request, last);
            } catch (NfsError e) {
                if (isNew) {
                    states.drop(lock);
                }
                throw e;
            }
            if (!isNew) {
                lock.bump();
            }
            return lock.stateId();
        }
    }

    /**
     * Locks a further range of a lock-owner.
     *
     * @throws LockDeniedException where somebody else's lock is in the way
     */
    public StateId lockMore(Client client, StateId lockId, Inode inode, LockRequest request)
            throws NfsError, LockDeniedException {
        synchronized (states) {
            LockState lock = states.requireLock(client, lockId, inode);
            long last = check(lock.open(), lock.owner(), request);
            lock(lock, inode, request, last);
            lock.bump();
            return lock.stateId();
        }
    }

    /** Locks a range, and charges the client's account with the further ranges. */
    @GuardedBy("states")
    private void lock(LockState lock, Inode inode, LockRequest request, long last) throws NfsError {
        RangeLocks locks = states.fileIfHeld(inode).locks();
        requireRoom(lock.client(), locks);
        charged(lock, locks, 2, () -> locks.lock(lock, request.offset(), last, request.write()));
    }

    /** Refuses more ranges than a client may have in a file, since each new lock is compared with all of them. */
    private static void requireRoom(Client client, RangeLocks locks) throws NfsError {
        if (locks.size() >= MAX_RANGES && locks.sizeOf(client) >= MAX_RANGES) {
            throw new NfsError(NFS4ERR_SERVERFAULT); // as of too many states: the client alone can end them
        }
    }

    /**
     * @param most how many ranges there may be more after the change
     */
    private static void charged(LockState lock, RangeLocks locks, int most, Runnable change) throws NfsError {
        ClientAccount account = lock.client().account();
        int before = locks.size();
        if (most > 0 && !account.take(StateKind.LOCKED_RANGES, most * RANGE)) {
            throw StateTable.refusal(lock.client());
        }
        change.run();
        int unused = before + most - locks.size();
        if (unused > 0) {
            account.give(StateKind.LOCKED_RANGES, unused * RANGE);
        }
    }

    @GuardedBy("states")
    private long check(OpenState open, Opaque owner, LockRequest request) throws NfsError, LockDeniedException {
        long last = RangeLocks.last(request.offset(), request.length());
        int needed = request.write() ? Open.SHARE_ACCESS_WRITE : Open.SHARE_ACCESS_READ;
        StateTable.requireMode((open.access() & needed) != 0);
        throwIfDenied(open.client(), owner, open.inode(), request.offset(), last, request.write());
        return last;
    }

    @GuardedBy("states")
    private void throwIfDenied(Client client, Opaque owner, Inode inode, long first, long last, boolean write)
            throws LockDeniedException {
        FileState file = states.fileIfHeld(inode);
        RangeLocks.Range conflict = file == null ? null : file.locks().conflict(client, owner, first, last, write);
        if (conflict != null) {
            LockState holder = conflict.holder();
            throw new LockDeniedException(new LockDenied(
                    conflict.first(),
                    conflict.length(),
                    conflict.write() ? LockType.WRITE_LT : LockType.READ_LT,
                    new StateOwner(holder.client().id(), holder.owner())));
        }
    }

    /** Whether a range could be locked (LOCKT). */
    public void testLock(Client client, Opaque owner, Inode inode, LockRequest request)
            throws NfsError, LockDeniedException {
        synchronized (states) {
            long last = RangeLocks.last(request.offset(), request.length());
            throwIfDenied(client, owner, inode, request.offset(), last, request.write());
        }
    }

    /**
     * Unlocks a range.
     *
     * @throws NfsError {@code DELAY} where a range would be cut in two, and the client's account is not good for that
     */
    public StateId unlock(Client client, StateId lockId, Inode inode, long offset, long length) throws NfsError {
        synchronized (states) {
            LockState lock = states.requireLock(client, lockId, inode);
            RangeLocks locks = states.fileIfHeld(inode).locks();
            long last = RangeLocks.last(offset, length);
            int most = locks.isSplit(lock, offset, last) ? 1 : 0;
            charged(lock, locks, most, () -> locks.unlock(lock, offset, last));
            lock.bump();
            return lock.stateId();
        }
    }
}
