package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;

/** LOOKUPP: goes to the current directory's parent (RFC 8881 section 18.14). */
public final class LookupP {
    private LookupP() {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.LOOKUPP);
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.LOOKUPP);
    }
}
