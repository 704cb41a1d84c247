package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** PUTFH: sets the current filehandle (RFC 8881 section 18.19). */
public final class PutFh {
    private PutFh() {}

    /**
     * The arguments.
     *
     * @param object to become the current one
     */
    public record Args(FileHandle object) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.PUTFH);
        args.object.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(FileHandle.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.PUTFH);
    }
}
