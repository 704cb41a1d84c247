package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** COMMIT: brings written data to stable storage (RFC 8881 section 18.3). */
public final class Commit {
    private Commit() {}

    /**
     * The arguments.
     *
     * @param offset where it starts
     * @param count octets, unsigned; 0 to the end of the file
     */
    public record Args(long offset, int count) {}

    /**
     * The results.
     *
     * @param verifier changes when the server may have lost data that was not committed
     */
    public record Result(long verifier) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.COMMIT);
        out.putLong(args.offset);
        out.putInt(args.count);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getLong(), in.getInt());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.COMMIT);
        out.putLong(result.verifier);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(in.getLong());
    }
}
