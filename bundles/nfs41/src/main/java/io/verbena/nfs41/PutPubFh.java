package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;

/** PUTPUBFH: goes to the public filehandle (RFC 8881 section 18.20). */
public final class PutPubFh {
    private PutPubFh() {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.PUTPUBFH);
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.PUTPUBFH);
    }
}
