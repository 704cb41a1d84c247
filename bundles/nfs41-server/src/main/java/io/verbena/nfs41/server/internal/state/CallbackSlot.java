package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.SessionId;

/**
 * A slot of a back channel: the number of its last callback, and that callback until it is answered (RFC 8881 section
 * 2.10.6.1). Guarded by {@link BackChannel}'s lock.
 */
final class CallbackSlot {
    final int id;

    /** Unsigned. */
    int sequenceId;

    /** Null where the slot is free. */
    Callback callback;

    /** The same when it is sent again: a retry does not differ. */
    CbSequence.Args args;

    /** Whether it is under way by some connection, or was and waits for the client to be less busy. */
    boolean isSent;

    /** Whether it was lost once, and the client may have executed it: only an answer settles that. */
    boolean mayBeExecuted;

    CallbackSlot(int id) {
        this.id = id;
    }

    void enter(SessionId session, Callback entered, int highestSlot) {
        callback = entered;
        sequenceId++;
        args = new CbSequence.Args(session, sequenceId, id, highestSlot, false, entered.referrals());
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
        isSent = false;
        mayBeExecuted = false;
        return cleared;
    }

    /** Frees the slot of a callback that the client has not taken note of. */
    Callback undo() {
        sequenceId--;
        return clear();
    }
}
