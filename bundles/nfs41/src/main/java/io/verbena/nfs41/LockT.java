package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** LOCKT: whether a lock could be had (RFC 8881 section 18.11). Its result has a body where it was denied, only. */
public final class LockT {
    private LockT() {}

    /**
     * The arguments.
     *
     * @param type read or write
     * @param offset where it starts
     * @param length in octets, all ones to the end of the file
     * @param owner whose own locks do not count
     */
    public record Args(LockType type, long offset, long length, StateOwner owner) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.LOCKT);
        args.type.encode(out);
        out.putLong(args.offset).putLong(args.length);
        args.owner.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(LockType.decode(in), in.getLong(), in.getLong(), StateOwner.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.LOCKT);
    }

    /** Writes the result of {@code NFS4ERR_DENIED}. */
    public static void encodeDenied(XdrWriter out, LockDenied denied) {
        Compound.encodeFailure(out, Opcode.LOCKT, Status.NFS4ERR_DENIED);
        denied.encode(out);
    }

    /** Reads what follows {@code NFS4ERR_DENIED}. */
    public static LockDenied decodeDenied(XdrReader in) throws XdrException {
        return LockDenied.decode(in);
    }
}
