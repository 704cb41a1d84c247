package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.LockT;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;

/** LOCKT: whether a lock of another owner conflicts. */
public final class LockTestRequest extends CompoundRequest<Boolean> {
    private final OpenState state;
    private final HeldLocks.Range range;

    public LockTestRequest(OpenState state, HeldLocks.Range range) {
        this.state = state;
        this.range = range;
    }

    @Override
    public void encode(CompoundWriter operations) {
        operations.putFh(state.handle());
        StateOwner owner = new StateOwner(0, state.owner());
        LockT.encodeArgs(operations.next(), new LockT.Args(range.type(), range.offset(), range.length(), owner));
    }

    @Override
    public Boolean decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        Status status = results.status(Opcode.LOCKT);
        if (status == Status.NFS4ERR_DENIED) {
            LockT.decodeDenied(results.body());
            return true;
        }
        if (!status.isOk()) {
            throw results.failure(status, Opcode.LOCKT);
        }
        return false;
    }
}
