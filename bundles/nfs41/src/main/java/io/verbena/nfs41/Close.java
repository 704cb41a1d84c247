package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CLOSE: ends an open (RFC 8881 section 18.2). */
public final class Close {
    private Close() {}

    /**
     * The arguments.
     *
     * @param seqid 0 in NFSv4.1
     * @param stateId the open
     */
    public record Args(int seqid, StateId stateId) {}

    /**
     * The results.
     *
     * @param stateId of no further use
     */
    public record Result(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CLOSE);
        out.putInt(args.seqid);
        args.stateId.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt(), StateId.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.CLOSE);
        result.stateId.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(StateId.decode(in));
    }
}
