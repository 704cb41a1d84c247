package io.verbena.nfs41.server.internal.callback;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.SessionId;
import io.verbena.rpc.RpcPeer;

/**
 * A slot of a back channel: the sequence id of its last callback, and that callback until it is answered (RFC 8881
 * section 2.10.6.1). Guarded by the lock of {@link BackChannel}.
 */
final class CallbackSlot {
    final int id;

    /** Unsigned. */
    int sequenceId;

    /** Null if the slot is free. */
    Callback callback;

    /** The arguments of CB_SEQUENCE. A retry sends the same. */
    CbSequence.Args args;

    /** Whether the callback is in progress on a connection, or waits for a busy client before it is sent again. */
    boolean isSent;

    /** The connection on which the callback is in progress; null where it waits for a busy client. */
    RpcPeer peer;

    /** Whether the callback was lost, so that the client may or may not have executed it: only an answer tells. */
    boolean mayBeExecuted;

    CallbackSlot(int id) {
        this.id = id;
    }

    void enter(SessionId session, Callback entered, int highestSlot) {
        args = new CbSequence.Args(session, sequenceId + 1, id, highestSlot, false, entered.referrals());
        callback = entered; // from here on nothing fails
        sequenceId++;
    }

    boolean isAnsweredBy(CbSequence.Result result) {
        return result.sessionId().equals(args.sessionId())
                && result.slotId() == id
                && result.sequenceId() == sequenceId;
    }

    /** Frees the slot. */
    Callback clear() {
        Callback cleared = callback;
        callback = null;
        peer = null;
        isSent = false;
        mayBeExecuted = false;
        return cleared;
    }

    /** Frees the slot of a callback that the client has not entered in its slot. */
    Callback undo() {
        sequenceId--;
        return clear();
    }
}
