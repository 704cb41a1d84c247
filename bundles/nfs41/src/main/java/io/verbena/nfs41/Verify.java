package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** VERIFY: ends the COMPOUND with NFS4ERR_NOT_SAME where the attributes differ (RFC 8881 section 18.31). */
public final class Verify {
    private Verify() {}

    /**
     * The arguments.
     *
     * @param attributes what to compare
     */
    public record Args(Attributes attributes) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.VERIFY);
        args.attributes.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(Attributes.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.VERIFY);
    }
}
