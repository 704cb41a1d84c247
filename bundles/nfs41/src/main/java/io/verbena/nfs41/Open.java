package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** OPEN: opens, and may create, a regular file (RFC 8881 section 18.16). */
public final class Open {
    public static final int SHARE_ACCESS_READ = 1;
    public static final int SHARE_ACCESS_WRITE = 2;
    public static final int SHARE_ACCESS_BOTH = 3;
    public static final int SHARE_DENY_NONE = 0;
    public static final int SHARE_DENY_READ = 1;
    public static final int SHARE_DENY_WRITE = 2;
    public static final int SHARE_DENY_BOTH = 3;

    /** The bits of {@code share_access} that tell what delegation is wanted. */
    public static final int WANT_DELEGATION_MASK = 0xff00;

    public static final int WANT_NO_PREFERENCE = 0;
    public static final int WANT_READ_DELEGATION = 0x100;
    public static final int WANT_WRITE_DELEGATION = 0x200;
    public static final int WANT_ANY_DELEGATION = 0x300;
    public static final int WANT_NO_DELEGATION = 0x400;
    public static final int WANT_CANCEL = 0x500;
    public static final int WANT_SIGNAL_WHEN_RESOURCE_AVAILABLE = 0x10000;
    public static final int WANT_PUSH_WHEN_UNCONTENDED = 0x20000;

    /** {@code rflags}: locks are POSIX locks. */
    public static final int RESULT_LOCKTYPE_POSIX = 4;

    /** {@code rflags}: a removed file stays until it is closed. */
    public static final int RESULT_PRESERVE_UNLINKED = 8;

    /** {@code rflags}: the server may tell by CB_NOTIFY_LOCK when a lock can be had. */
    public static final int RESULT_MAY_NOTIFY_LOCK = 0x20;

    private Open() {}

    /**
     * The arguments.
     *
     * @param seqid 0 in NFSv4.1
     * @param shareAccess what the file is opened for, and the delegation wanted
     * @param shareDeny what others may not do meanwhile
     * @param owner who opens
     * @param how whether and how to create the file
     * @param claim what file
     */
    public record Args(int seqid, int shareAccess, int shareDeny, StateOwner owner, OpenHow how, OpenClaim claim) {}

    /**
     * The results. The file becomes the current object.
     *
     * @param stateId the open
     * @param change how the directory changed
     * @param flags bits of {@code RESULT_}
     * @param attributesSet which of the attributes were set
     * @param delegation what was delegated
     */
    public record Result(
            StateId stateId, ChangeInfo change, int flags, AttributeMask attributesSet, OpenDelegation delegation) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.OPEN).putInt(args.seqid).putInt(args.shareAccess).putInt(args.shareDeny);
        args.owner.encode(out);
        args.how.encode(out);
        args.claim.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(
                in.getInt(), in.getInt(), in.getInt(), StateOwner.decode(in), OpenHow.decode(in), OpenClaim.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.OPEN);
        result.stateId.encode(out);
        result.change.encode(out);
        out.putInt(result.flags);
        result.attributesSet.encode(out);
        result.delegation.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(
                StateId.decode(in),
                ChangeInfo.decode(in),
                in.getInt(),
                AttributeMask.decode(in),
                OpenDelegation.decode(in));
    }
}
