package io.verbena.nfs41.client.internal.callback;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Status;
import java.util.Arrays;

/**
 * The slot table of a session's back channel, with the last reply of each slot, so that a repeated callback is executed
 * once (RFC 8881 section 2.10.6). Thread safe: after the loss of a connection, a callback may still be executed when
 * its repetition arrives by the next one.
 */
public final class CallbackSlots {
    private final CallbackLimits limits;

    @GuardedBy("this")
    private final State[] states;

    /** One slot. Guarded by {@link CallbackSlots}, which it does not know. */
    private static final class State {
        private int sequenceId;
        private boolean busy;
        private byte[] request;
        /** Null where the reply was too long to keep. */
        private byte[] reply;
    }

    /** How to answer a callback. */
    static final class Admission {
        private static final Admission NEW = new Admission(true, Status.NFS4_OK, null);

        private final boolean fresh;
        private final Status status;
        private final byte[] reply;

        private Admission(boolean fresh, Status status, byte[] reply) {
            this.fresh = fresh;
            this.status = status;
            this.reply = reply;
        }

        private static Admission refused(Status why) {
            return new Admission(false, why, null);
        }

        private static Admission repeated(byte[] reply) {
            return new Admission(false, Status.NFS4_OK, reply);
        }

        /** Whether the callback is executed now; {@link CallbackSlots#done} follows. */
        boolean isNew() {
            return fresh;
        }

        /**
         * Why the callback is not executed. NFS4ERR_RETRY_UNCACHED_REP is the status of the operation behind
         * CB_SEQUENCE, all others that of CB_SEQUENCE.
         */
        Status status() {
            return status;
        }

        /** The kept reply to a repeated callback, else null. */
        byte[] reply() {
            return reply;
        }
    }

    public CallbackSlots(CallbackLimits limits) {
        this.limits = limits;
        states = new State[limits.slots()];
        Arrays.setAll(states, i -> new State());
    }

    CallbackLimits limits() {
        return limits;
    }

    int highest() {
        return limits.slots() - 1;
    }

    /**
     * Admits a callback to its slot. A refusal leaves the slot as it was (section 20.9.3).
     *
     * @param request the octets behind CB_SEQUENCE
     * @param wait whether a new callback is answered NFS4ERR_DELAY
     */
    synchronized Admission begin(CbSequence.Args sequence, byte[] request, boolean wait) {
        if (Integer.compareUnsigned(sequence.slotId(), highest()) > 0) {
            return Admission.refused(Status.NFS4ERR_BADSLOT);
        }
        if (Integer.compareUnsigned(sequence.highestSlotId(), highest()) > 0) {
            return Admission.refused(Status.NFS4ERR_BAD_HIGH_SLOT);
        }
        State state = states[sequence.slotId()];
        if (sequence.sequenceId() == state.sequenceId && state.request != null) {
            return repeated(state, request);
        }
        if (state.busy || sequence.sequenceId() != state.sequenceId + 1) {
            return Admission.refused(Status.NFS4ERR_SEQ_MISORDERED);
        }
        if (wait) {
            return Admission.refused(Status.NFS4ERR_DELAY);
        }
        state.sequenceId = sequence.sequenceId();
        state.busy = true;
        state.request = request;
        state.reply = null;
        return Admission.NEW;
    }

    private static Admission repeated(State state, byte[] request) {
        if (!Arrays.equals(state.request, request)) {
            return Admission.refused(Status.NFS4ERR_SEQ_FALSE_RETRY);
        }
        if (state.busy) {
            return Admission.refused(Status.NFS4ERR_DELAY);
        }
        return state.reply == null
                ? Admission.refused(Status.NFS4ERR_RETRY_UNCACHED_REP)
                : Admission.repeated(state.reply);
    }

    /**
     * A callback has been executed.
     *
     * @param reply the reply, which is kept unless it is too long, whether the server asked for that or not
     * @param rpcLength the length of the reply, RPC header included
     */
    synchronized void done(int slotId, byte[] reply, int rpcLength) {
        State state = states[slotId];
        state.busy = false;
        state.reply = rpcLength <= limits.cachedSize() ? reply : null;
    }
}
