package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Status;
import java.util.Arrays;

/**
 * The slots of a session's back channel and the replies last given in each, so that a callback that comes twice happens
 * once (RFC 8881 section 2.10.6). Thread safe: after a loss, callbacks of the old connection may be at work still when
 * the next one brings their repetitions.
 */
final class CallbackSlots {
    private final CallbackLimits limits;
    private final State[] states;

    private static final class State {
        private int sequenceId;
        private boolean busy;
        private byte[] request;
        /** Null where the reply was too long to keep. */
        private byte[] reply;
    }

    /** What is to be done about a callback. */
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

        /** Whether it is to be executed now, and {@link CallbackSlots#done} then. */
        boolean isNew() {
            return fresh;
        }

        /**
         * Why it is not to be executed. NFS4ERR_RETRY_UNCACHED_REP is said of the operation behind CB_SEQUENCE, all else
         * of CB_SEQUENCE.
         */
        Status status() {
            return status;
        }

        /** The reply of before, where it is a repetition and that was kept; else null. */
        byte[] reply() {
            return reply;
        }
    }

    CallbackSlots(CallbackLimits limits) {
        this.limits = limits;
        states = new State[limits.slots()];
        Arrays.setAll(states, i -> new State());
    }

    CallbackLimits limits() {
        return limits;
    }

    int highest() {
        return states.length - 1;
    }

    /**
     * Takes a callback in. What is refused leaves its slot as it was (section 20.9.3).
     *
     * @param request what stands behind CB_SEQUENCE
     * @param wait whether a new one has to come again later, NFS4ERR_DELAY
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
     * @param reply what was answered; kept, whether that was asked for or not, where it is not too long
     * @param rpcLength the length of the reply as it is limited, RPC header included
     */
    synchronized void done(int slotId, byte[] reply, int rpcLength) {
        State state = states[slotId];
        state.busy = false;
        state.reply = rpcLength <= limits.cachedSize() ? reply : null;
    }
}
