package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CbGetAttr;
import io.verbena.nfs41.CbLayoutRecall;
import io.verbena.nfs41.CbNotifyLock;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbRecallAny;
import io.verbena.nfs41.CbRecallSlot;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.Optional;

/** The callback operations except CB_SEQUENCE. Runs on the receive thread; none of them blocks. */
public final class CallbackOperations {
    private final DelegationRecalls delegations;
    private final LockCallbacks locks;
    private final Runnable slotsRecalled;

    /**
     * @param slotsRecalled told of CB_RECALL_SLOT, after which the server waits for a SEQUENCE; must not block
     */
    public CallbackOperations(DelegationRecalls delegations, LockCallbacks locks, Runnable slotsRecalled) {
        this.delegations = delegations;
        this.locks = locks;
        this.slotsRecalled = slotsRecalled;
    }

    /**
     * Executes an operation whose number has been read and writes its whole result.
     *
     * @throws XdrException where the arguments cannot be read; nothing is written then
     */
    Status execute(int opcode, XdrReader in, XdrWriter out, CallbackSession session) throws XdrException {
        return switch (opcode) {
            case Opcode.CB_GETATTR -> getAttr(CbGetAttr.decodeArgs(in), out);
            case Opcode.CB_RECALL -> recall(CbRecall.decodeArgs(in), out);
            case Opcode.CB_RECALL_ANY -> recallAny(CbRecallAny.decodeArgs(in), out);
            case Opcode.CB_RECALL_SLOT -> recallSlot(CbRecallSlot.decodeArgs(in), out, session);
            case Opcode.CB_NOTIFY_LOCK -> notifyLock(CbNotifyLock.decodeArgs(in), out);
            case Opcode.CB_LAYOUTRECALL -> {
                CbLayoutRecall.decodeArgs(in); // of a layout, and there is none (section 20.3.3)
                yield failed(out, opcode, Status.NFS4ERR_NOMATCHING_LAYOUT);
            }
            case Opcode.CB_SEQUENCE -> failed(out, opcode, Status.NFS4ERR_SEQUENCE_POS);
            default ->
                Opcode.isDefinedCallback(opcode)
                        ? failed(out, opcode, Status.NFS4ERR_NOTSUPP)
                        : failed(out, Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL);
        };
    }

    static Status failed(XdrWriter out, int opcode, Status status) {
        Compound.encodeFailure(out, opcode, status);
        return status;
    }

    private Status getAttr(CbGetAttr.Args args, XdrWriter out) {
        Optional<Attributes> known = delegations.attributes(args.object(), args.request());
        if (known.isEmpty()) {
            return failed(out, Opcode.CB_GETATTR, Status.NFS4ERR_BADHANDLE);
        }
        CbGetAttr.encodeResult(out, new CbGetAttr.Result(known.get()));
        return Status.NFS4_OK;
    }

    private Status recall(CbRecall.Args args, XdrWriter out) {
        Status status = delegations.recall(args.object(), args.stateId(), args.truncate());
        if (!status.isOk()) {
            return failed(out, Opcode.CB_RECALL, status);
        }
        CbRecall.encodeResult(out);
        return status;
    }

    private Status recallAny(CbRecallAny.Args args, XdrWriter out) {
        int types = args.types();
        if ((types & ~CbRecallAny.DEFINED_TYPES) != 0) {
            return failed(out, Opcode.CB_RECALL_ANY, Status.NFS4ERR_INVAL);
        }
        boolean reading = (types & CbRecallAny.READ_DELEGATIONS) != 0;
        boolean writing = (types & CbRecallAny.WRITE_DELEGATIONS) != 0;
        if (reading || writing) {
            int keep = args.objectsToKeep() < 0 ? Integer.MAX_VALUE : args.objectsToKeep();
            delegations.recallAny(keep, reading, writing);
        }
        CbRecallAny.encodeResult(out);
        return Status.NFS4_OK;
    }

    private Status recallSlot(CbRecallSlot.Args args, XdrWriter out, CallbackSession session) {
        session.targetHighestSlot(args.targetHighestSlotId());
        slotsRecalled.run();
        CbRecallSlot.encodeResult(out);
        return Status.NFS4_OK;
    }

    private Status notifyLock(CbNotifyLock.Args args, XdrWriter out) {
        locks.hint(args.object(), args.owner().owner());
        CbNotifyLock.encodeResult(out);
        return Status.NFS4_OK;
    }
}
