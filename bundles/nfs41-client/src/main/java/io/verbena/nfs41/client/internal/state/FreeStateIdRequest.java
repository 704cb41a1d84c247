package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;

/** FREE_STATEID (RFC 8881 section 18.38). */
final class FreeStateIdRequest extends CompoundRequest<Void> {
    private final StateId stateId;

    FreeStateIdRequest(StateId stateId) {
        this.stateId = stateId;
    }

    @Override
    public void encode(CompoundWriter operations) {
        FreeStateId.encodeArgs(operations.next(), new FreeStateId.Args(stateId));
    }

    @Override
    public Void decode(Results results) throws IOException {
        results.next(Opcode.FREE_STATEID);
        return null;
    }
}
