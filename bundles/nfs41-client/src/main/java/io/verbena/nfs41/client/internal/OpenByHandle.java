package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import java.io.IOException;
import java.util.function.Supplier;

/** OPEN of the handle, for the same access as before. */
final class OpenByHandle extends Request<OpenByHandle.Opened> {
    private final OpenState state;
    private final Supplier<OpenClaim> claim;

    /**
     * @param claim by what right, at the time when it is sent
     */
    OpenByHandle(OpenState state, Supplier<OpenClaim> claim) {
        this.state = state;
        this.claim = claim;
    }

    /**
     * What came of it.
     *
     * @param flags bits of {@code Open.RESULT_}
     */
    record Opened(StateId stateId, int flags, OpenDelegation delegation) {}

    @Override
    void encode(Operations operations) {
        operations.putFh(state.handle());
        OpenClaim by = claim.get();
        // who claims a delegation says so by the claim: the bit would be taken for the opposite
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
    Opened decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        Open.Result opened = Open.decodeResult(results.next(Opcode.OPEN));
        return new Opened(opened.stateId(), opened.flags(), opened.delegation());
    }

    @Override
    boolean isCached() {
        return true;
    }
}
