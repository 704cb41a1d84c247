package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.NfsError;

/** Byte-range locks of all clients (RFC 8881 section 9). Thread safe; its lock is {@link StateTable}'s. */
public final class LockTable {
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
            if (lock == null) {
                lock = states.addLockOwner(open, owner);
            } else {
                lock.bump();
            }
            states.fileIfHeld(inode).locks().lock(lock, request.offset(), last, request.write());
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
            states.fileIfHeld(inode).locks().lock(lock, request.offset(), last, request.write());
            lock.bump();
            return lock.stateId();
        }
    }

    private long check(OpenState open, Opaque owner, LockRequest request) throws NfsError, LockDeniedException {
        long last = RangeLocks.last(request.offset(), request.length());
        int needed = request.write() ? Open.SHARE_ACCESS_WRITE : Open.SHARE_ACCESS_READ;
        StateTable.requireMode((open.access() & needed) != 0);
        throwIfDenied(open.client(), owner, open.inode(), request.offset(), last, request.write());
        return last;
    }

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

    public StateId unlock(Client client, StateId lockId, Inode inode, long offset, long length) throws NfsError {
        synchronized (states) {
            LockState lock = states.requireLock(client, lockId, inode);
            states.fileIfHeld(inode).locks().unlock(lock, offset, RangeLocks.last(offset, length));
            lock.bump();
            return lock.stateId();
        }
    }
}
