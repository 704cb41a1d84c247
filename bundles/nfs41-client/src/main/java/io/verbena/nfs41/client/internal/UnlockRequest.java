package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import java.io.IOException;

/** LOCKU, by the locks' own stateid. Its result is the stateid from then on. */
final class UnlockRequest extends Request<StateId> {
    private final OpenState state;
    private final HeldLocks.Range range;

    UnlockRequest(OpenState state, HeldLocks.Range range) {
        this.state = state;
        this.range = range;
    }

    @Override
    void encode(Operations operations) {
        operations.putFh(state.handle());
        StateId locks = state.locks().stateId();
        LockU.encodeArgs(
                operations.next(),
                new LockU.Args(
                        range.type(),
                        0,
                        locks == null ? StateId.ANONYMOUS : locks.withoutSeqid(),
                        range.offset(),
                        range.length()));
    }

    @Override
    StateId decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        return LockU.decodeResult(results.next(Opcode.LOCKU)).stateId();
    }

    @Override
    boolean isCached() {
        return true;
    }
}
