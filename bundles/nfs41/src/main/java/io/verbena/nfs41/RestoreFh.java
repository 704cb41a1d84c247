package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;

/** RESTOREFH: makes the saved filehandle the current one (RFC 8881 section 18.27). */
public final class RestoreFh {
    private RestoreFh() {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.RESTOREFH);
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.RESTOREFH);
    }
}
