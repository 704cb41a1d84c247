package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import java.io.IOException;

/** LOCK by the lock-owner of the file. The first lock uses the stateid of the open, further ones that of the locks. */
public final class LockRequest extends CompoundRequest<LockRequest.Outcome> {
    private final OpenState state;
    private final HeldLocks.Range range;
    private final boolean reclaim;
    private final boolean waits;

    LockRequest(OpenState state, HeldLocks.Range range, boolean reclaim) {
        this(state, range, reclaim, false);
    }

    /** @param waits whether the client will ask again after a denial, so that the server may send CB_NOTIFY_LOCK */
    public LockRequest(OpenState state, HeldLocks.Range range, boolean reclaim, boolean waits) {
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
    public record Outcome(StateId stateId, LockDenied denied) {}

    /** The failure of a reclaim that the server denied, though no other client can hold the lock. */
    static StatusException denied() {
        return new StatusException(Status.NFS4ERR_DENIED, Opcode.LOCK);
    }

    @Override
    public void encode(CompoundWriter operations) {
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
    public Outcome decode(Results results) throws IOException {
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
    public boolean isCached() {
        return true;
    }
}
