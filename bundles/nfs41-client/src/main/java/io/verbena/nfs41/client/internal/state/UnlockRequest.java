package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;

/** LOCKU by the stateid of the locks. Its result is the next instance of that stateid. */
public final class UnlockRequest extends CompoundRequest<StateId> {
    private final OpenState state;
    private final HeldLocks.Range range;

    public UnlockRequest(OpenState state, HeldLocks.Range range) {
        this.state = state;
        this.range = range;
    }

    @Override
    public void encode(CompoundWriter operations) {
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
    public StateId decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        return LockU.decodeResult(results.next(Opcode.LOCKU)).stateId();
    }

    @Override
    public boolean isCached() {
        return true;
    }
}
