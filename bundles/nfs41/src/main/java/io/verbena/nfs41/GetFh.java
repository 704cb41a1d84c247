package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** GETFH: the current filehandle (RFC 8881 section 18.8). */
public final class GetFh {
    private GetFh() {}

    /**
     * The results.
     *
     * @param object the current filehandle
     */
    public record Result(FileHandle object) {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.GETFH);
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.GETFH);
        result.object.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(FileHandle.decode(in));
    }
}
