package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.callback.Callback;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** CB_RECALL of a delegation (RFC 8881 section 20.2). */
record Recall(Delegations delegations, Delegation delegation, StateId stateId, FileHandle file) implements Callback {
    @Override
    public int opcode() {
        return Opcode.CB_RECALL;
    }

    @Override
    public void encodeArgs(XdrWriter out) {
        CbRecall.encodeArgs(out, new CbRecall.Args(stateId, false, file));
    }

    @Override
    public List<CbSequence.ReferringCallList> referrals() {
        return delegation.granting().referral();
    }

    @Override
    public boolean isWanted() {
        return delegation.isHeld();
    }

    @Override
    public void answered(Status status) {
        delegations.answered(delegation, status);
    }

    @Override
    public void failed() {
        delegations.answered(delegation, null);
    }
}
