package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes one CB_COMPOUND (RFC 8881 section 20): CB_SEQUENCE, then further operations until one fails.
 *
 * <pre>
 * minorversion other than 1          NFS4ERR_MINOR_VERS_MISMATCH, and no results
 * first operation not CB_SEQUENCE    NFS4ERR_OP_NOT_IN_SESSION
 * a session that there is not        NFS4ERR_BADSESSION
 * longer than agreed                 NFS4ERR_REQ_TOO_BIG
 * more operations than agreed        NFS4ERR_TOO_MANY_OPS
 * slot or number out of place        see {@link CallbackSlots#begin}
 * a referred request without reply   NFS4ERR_DELAY (section 2.10.6.3)
 * a repetition                       the reply of before
 * arguments that cannot be read      NFS4ERR_BADXDR
 * no room left in the reply          NFS4ERR_REP_TOO_BIG, NFS4ERR_REP_TOO_BIG_TO_CACHE
 * </pre>
 */
final class CallbackCompound {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackCompound.class);

    /** {@code xid, REPLY, MSG_ACCEPTED}, an empty verifier, {@code SUCCESS}. */
    private static final int RPC_REPLY_HEADER = 24;

    /** More octets than any result takes. */
    private static final int RESULT_ROOM = 128;

    private final CallbackOperations callbacks;
    private final XdrReader in;
    private final int length;
    private final XdrWriter out = new XdrWriter(256);
    private int results;

    /**
     * @param in stands before the arguments, at an offset from the start of the message
     */
    CallbackCompound(CallbackOperations callbacks, XdrReader in) {
        this.callbacks = callbacks;
        this.in = in;
        this.length = in.position() + in.remaining();
    }

    /**
     * Executes it.
     *
     * @param sessions returns the session with an id, or null
     * @return the results, head included
     * @throws XdrException where the head cannot be read
     */
    byte[] evaluate(Function<SessionId, ? extends CallbackSession> sessions) throws XdrException {
        CbCompound.Args head = CbCompound.decodeArgs(in);
        int statusAt = Compound.encodeResult(out, head.tag());
        if (head.minorVersion() != Compound.MINOR_VERSION) {
            return finish(statusAt, head, Status.NFS4ERR_MINOR_VERS_MISMATCH);
        }
        if (head.operations() == 0) {
            return finish(statusAt, head, Status.NFS4_OK);
        }
        int opcode = in.getInt();
        if (opcode != Opcode.CB_SEQUENCE) {
            boolean known = Opcode.isDefinedCallback(opcode);
            return finish(
                    statusAt,
                    head,
                    known
                            ? failed(opcode, Status.NFS4ERR_OP_NOT_IN_SESSION)
                            : failed(Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL));
        }
        CbSequence.Args sequence;
        byte[] rest;
        try {
            sequence = CbSequence.decodeArgs(in);
            rest = in.getFixedOpaque(in.remaining());
        } catch (XdrException e) {
            LOG.debug("CB_SEQUENCE that cannot be read", e);
            return finish(statusAt, head, failed(opcode, Status.NFS4ERR_BADXDR));
        }
        CallbackSession session = sessions.apply(sequence.sessionId());
        Status refused = session == null ? Status.NFS4ERR_BADSESSION : overLimits(head, session.callbacks());
        if (refused != null) {
            return finish(statusAt, head, failed(opcode, refused));
        }
        return inSlot(statusAt, head, session, sequence, rest);
    }

    private Status overLimits(CbCompound.Args head, CallbackSlots slots) {
        if (length > slots.limits().requestSize()) {
            return Status.NFS4ERR_REQ_TOO_BIG;
        }
        return head.operations() > slots.limits().operations() ? Status.NFS4ERR_TOO_MANY_OPS : null;
    }

    private byte[] inSlot(
            int statusAt, CbCompound.Args head, CallbackSession session, CbSequence.Args sequence, byte[] rest) {
        CallbackSlots slots = session.callbacks();
        CallbackSlots.Admission admission = slots.begin(sequence, rest, refersToPending(session, sequence));
        if (admission.reply() != null) {
            return admission.reply();
        }
        boolean forgotten = admission.status() == Status.NFS4ERR_RETRY_UNCACHED_REP;
        if (!admission.isNew() && !forgotten) {
            return finish(statusAt, head, failed(Opcode.CB_SEQUENCE, admission.status()));
        }
        results++;
        CbSequence.Result result = new CbSequence.Result(
                sequence.sessionId(), sequence.sequenceId(), sequence.slotId(), slots.highest(), slots.highest());
        CbSequence.encodeResult(out, result);
        XdrReader operations = new XdrReader(ByteBuffer.wrap(rest));
        int limit = sequence.cacheThis()
                ? Math.min(slots.limits().responseSize(), slots.limits().cachedSize())
                : slots.limits().responseSize();
        Status full = limit < slots.limits().responseSize()
                ? Status.NFS4ERR_REP_TOO_BIG_TO_CACHE
                : Status.NFS4ERR_REP_TOO_BIG;
        Status status = Status.NFS4_OK;
        while (results < head.operations() && status.isOk()) {
            boolean room = out.position() + RPC_REPLY_HEADER + RESULT_ROOM <= limit;
            status = next(operations, session, forgotten ? admission.status() : room ? Status.NFS4_OK : full);
        }
        byte[] reply = finish(statusAt, head, status);
        if (admission.isNew()) {
            slots.done(sequence.slotId(), reply, reply.length + RPC_REPLY_HEADER);
        }
        return reply;
    }

    /** Whether a referring call of the callback has no reply yet, so that the callback has to be sent again later. */
    private static boolean refersToPending(CallbackSession session, CbSequence.Args sequence) {
        for (CbSequence.ReferringCallList list : sequence.referringCalls()) {
            if (list.sessionId().equals(session.id())) {
                for (CbSequence.ReferringCall call : list.calls()) {
                    if (session.isOutstanding(call.slotId(), call.sequenceId())) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /**
     * @param instead NFS4_OK where the operation is to be executed, else how it fails
     */
    private Status next(XdrReader operations, CallbackSession session, Status instead) {
        int opcode = Opcode.CB_ILLEGAL;
        int before = out.position();
        try {
            opcode = operations.getInt();
            if (!instead.isOk()) {
                return failed(opcode, instead);
            }
            Status status = callbacks.execute(opcode, operations, out, session);
            results++;
            return status;
        } catch (XdrException e) {
            LOG.debug("{} that cannot be read", Opcode.callbackName(opcode), e);
            return failed(opcode, Status.NFS4ERR_BADXDR);
        } catch (Throwable e) {
            // the slot must become free after any failure
            LOG.warn("{} failed", Opcode.callbackName(opcode), e);
            out.truncate(before);
            return failed(opcode, Status.NFS4ERR_SERVERFAULT);
        }
    }

    private Status failed(int opcode, Status status) {
        results++;
        return CallbackOperations.failed(out, opcode, status);
    }

    private byte[] finish(int statusAt, CbCompound.Args head, Status status) {
        Compound.finishResult(out, statusAt, head.tag(), status, results);
        return out.toByteArray();
    }
}
