package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** LOCK: locks a range (RFC 8881 section 18.10). Its result has a body where it was denied, too. */
public final class Lock {
    private Lock() {}

    /** {@code locker4}: who locks. */
    public sealed interface Locker permits NewLockOwner, ExistingLockOwner {}

    /**
     * {@code open_to_lock_owner4}: the first lock of an owner in a file.
     *
     * @param openSeqid 0 in NFSv4.1
     * @param openStateId the open that the lock belongs to
     * @param lockSeqid ignored in NFSv4.1
     * @param owner who locks
     */
    public record NewLockOwner(int openSeqid, StateId openStateId, int lockSeqid, StateOwner owner) implements Locker {}

    /**
     * {@code exist_lock_owner4}: a further lock.
     *
     * @param lockStateId the owner's locks in the file
     * @param lockSeqid ignored in NFSv4.1
     */
    public record ExistingLockOwner(StateId lockStateId, int lockSeqid) implements Locker {}

    /**
     * The arguments.
     *
     * @param type read or write
     * @param reclaim whether it was held before the server restarted
     * @param offset where it starts
     * @param length in octets, all ones to the end of the file
     * @param locker who locks
     */
    public record Args(LockType type, boolean reclaim, long offset, long length, Locker locker) {}

    /**
     * The results.
     *
     * @param stateId the owner's locks in the file
     */
    public record Result(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.LOCK);
        args.type.encode(out);
        out.putBoolean(args.reclaim).putLong(args.offset).putLong(args.length);
        if (args.locker instanceof NewLockOwner locker) {
            out.putBoolean(true).putInt(locker.openSeqid);
            locker.openStateId.encode(out);
            out.putInt(locker.lockSeqid);
            locker.owner.encode(out);
        } else if (args.locker instanceof ExistingLockOwner locker) {
            out.putBoolean(false);
            locker.lockStateId.encode(out);
            out.putInt(locker.lockSeqid);
        }
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(LockType.decode(in), in.getBoolean(), in.getLong(), in.getLong(), decodeLocker(in));
    }

    private static Locker decodeLocker(XdrReader in) throws XdrException {
        if (in.getBoolean()) {
            return new NewLockOwner(in.getInt(), StateId.decode(in), in.getInt(), StateOwner.decode(in));
        }
        return new ExistingLockOwner(StateId.decode(in), in.getInt());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.LOCK);
        result.stateId.encode(out);
    }

    /** Writes the result of {@code NFS4ERR_DENIED}. */
    public static void encodeDenied(XdrWriter out, LockDenied denied) {
        Compound.encodeFailure(out, Opcode.LOCK, Status.NFS4ERR_DENIED);
        denied.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(StateId.decode(in));
    }

    /** Reads what follows {@code NFS4ERR_DENIED}. */
    public static LockDenied decodeDenied(XdrReader in) throws XdrException {
        return LockDenied.decode(in);
    }
}
