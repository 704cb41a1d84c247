package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** OPEN_DOWNGRADE: reduces the access of an open (RFC 8881 section 18.18). */
public final class OpenDowngrade {
    private OpenDowngrade() {}

    /**
     * The arguments.
     *
     * @param stateId the open
     * @param seqid 0 in NFSv4.1
     * @param shareAccess what remains, as in Open
     * @param shareDeny what remains, as in Open
     */
    public record Args(StateId stateId, int seqid, int shareAccess, int shareDeny) {}

    /**
     * The results.
     *
     * @param stateId the open as it is now
     */
    public record Result(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.OPEN_DOWNGRADE);
        args.stateId.encode(out);
        out.putInt(args.seqid);
        out.putInt(args.shareAccess);
        out.putInt(args.shareDeny);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in), in.getInt(), in.getInt(), in.getInt());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.OPEN_DOWNGRADE);
        result.stateId.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(StateId.decode(in));
    }
}
