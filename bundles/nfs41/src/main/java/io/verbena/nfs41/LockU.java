package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** LOCKU: releases a lock (RFC 8881 section 18.12). */
public final class LockU {
    private LockU() {}

    /**
     * The arguments.
     *
     * @param type read or write
     * @param seqid ignored in NFSv4.1
     * @param stateId the lock
     * @param offset where it starts
     * @param length in octets, all ones to the end of the file
     */
    public record Args(LockType type, int seqid, StateId stateId, long offset, long length) {}

    /**
     * The results.
     *
     * @param stateId the lock as it is now
     */
    public record Result(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.LOCKU);
        args.type.encode(out);
        out.putInt(args.seqid);
        args.stateId.encode(out);
        out.putLong(args.offset);
        out.putLong(args.length);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(LockType.decode(in), in.getInt(), StateId.decode(in), in.getLong(), in.getLong());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.LOCKU);
        result.stateId.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(StateId.decode(in));
    }
}
