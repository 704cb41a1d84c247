package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;
import java.util.function.Supplier;

/** OPEN by file handle, with the same share access as before. */
final class OpenByHandleRequest extends CompoundRequest<OpenByHandleRequest.Opened> {
    private final OpenState state;
    private final Supplier<OpenClaim> claim;

    /** @param claim the claim, evaluated each time that the request is sent */
    OpenByHandleRequest(OpenState state, Supplier<OpenClaim> claim) {
        this.state = state;
        this.claim = claim;
    }

    /**
     * The result of the OPEN.
     *
     * @param flags bits of {@code Open.RESULT_}
     */
    record Opened(StateId stateId, int flags, OpenDelegation delegation) {}

    @Override
    public void encode(CompoundWriter operations) {
        operations.putFh(state.handle());
        OpenClaim by = claim.get();
        // the claim itself asks for the delegation: WANT_NO_DELEGATION would be taken for the opposite
        boolean delegation =
                by instanceof OpenClaim.Previous previous && previous.delegationType() != OpenDelegation.NONE;
        Open.Args args = new Open.Args(
                0,
                state.shareAccess() | (delegation ? Open.WANT_NO_PREFERENCE : Open.WANT_NO_DELEGATION),
                Open.SHARE_DENY_NONE,
                new StateOwner(0, state.owner()),
                new OpenHow.NoCreate(),
                by);
        Open.encodeArgs(operations.next(), args);
    }

    @Override
    public Opened decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        Open.Result opened = Open.decodeResult(results.next(Opcode.OPEN));
        return new Opened(opened.stateId(), opened.flags(), opened.delegation());
    }

    @Override
    public boolean isCached() {
        return true;
    }
}
