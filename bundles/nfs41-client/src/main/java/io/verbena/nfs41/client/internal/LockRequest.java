package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import java.io.IOException;

/** LOCK, by the file's lock-owner: its first lock by the open, further ones by the locks' own stateid. */
final class LockRequest extends Request<LockRequest.Outcome> {
    private final OpenState state;
    private final HeldLocks.Range range;
    private final boolean reclaim;
    private final boolean waits;

    LockRequest(OpenState state, HeldLocks.Range range, boolean reclaim) {
        this(state, range, reclaim, false);
    }

    /**
     * @param waits whether it will be asked for again where it is denied, so that the server may tell when
     */
    LockRequest(OpenState state, HeldLocks.Range range, boolean reclaim, boolean waits) {
        this.state = state;
        this.range = range;
        this.reclaim = reclaim;
        this.waits = waits;
    }

    /**
     * One of the two.
     *
     * @param stateId the locks', where it was granted
     * @param denied what is in the way, where it was not
     */
    record Outcome(StateId stateId, LockDenied denied) {}

    /** The failure of a lock that nobody else can have got before. */
    static StatusException denied() {
        return new StatusException(Status.NFS4ERR_DENIED, Opcode.LOCK);
    }

    @Override
    void encode(Operations operations) {
        operations.putFh(state.handle());
        StateId locks = state.locks().stateId();
        Lock.Locker locker = locks == null
                ? new Lock.NewLockOwner(0, state.openStateId().withoutSeqid(), 0, new StateOwner(0, state.owner()))
                : new Lock.ExistingLockOwner(locks.withoutSeqid(), 0);
        Lock.Args args = new Lock.Args(type(), reclaim, range.offset(), range.length(), locker);
        Lock.encodeArgs(operations.next(), args);
    }

    private LockType type() {
        if (!waits) {
            return range.type();
        }
        return range.type().isWrite() ? LockType.WRITEW_LT : LockType.READW_LT;
    }

    @Override
    Outcome decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        Status status = results.status(Opcode.LOCK);
        if (status == Status.NFS4ERR_DENIED) {
            return new Outcome(null, Lock.decodeDenied(results.body()));
        }
        if (!status.isOk()) {
            throw results.failure(status, Opcode.LOCK);
        }
        return new Outcome(Lock.decodeResult(results.body()).stateId(), null);
    }

    @Override
    boolean isCached() {
        return true;
    }
}
