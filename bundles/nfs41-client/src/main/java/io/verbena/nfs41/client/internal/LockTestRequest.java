package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.LockT;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import java.io.IOException;

/** LOCKT: whether somebody else's lock is in the way. */
final class LockTestRequest extends Request<Boolean> {
    private final OpenState state;
    private final HeldLocks.Range range;

    LockTestRequest(OpenState state, HeldLocks.Range range) {
        this.state = state;
        this.range = range;
    }

    @Override
    void encode(Operations operations) {
        operations.putFh(state.handle());
        StateOwner owner = new StateOwner(0, state.owner());
        LockT.encodeArgs(operations.next(), new LockT.Args(range.type(), range.offset(), range.length(), owner));
    }

    @Override
    Boolean decode(Results results) throws IOException {
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
