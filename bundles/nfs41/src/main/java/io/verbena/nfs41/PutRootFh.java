package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;

/** PUTROOTFH: goes to the root of the server's name space (RFC 8881 section 18.21). */
public final class PutRootFh {
    private PutRootFh() {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.PUTROOTFH);
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.PUTROOTFH);
    }
}
