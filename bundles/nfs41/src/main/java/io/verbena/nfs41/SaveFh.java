package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;

/** SAVEFH: makes the current filehandle the saved one (RFC 8881 section 18.28). */
public final class SaveFh {
    private SaveFh() {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.SAVEFH);
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.SAVEFH);
    }
}
