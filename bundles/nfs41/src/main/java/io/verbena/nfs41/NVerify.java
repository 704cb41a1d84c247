package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** NVERIFY: ends the COMPOUND with NFS4ERR_SAME where the attributes are as given (RFC 8881 section 18.15). */
public final class NVerify {
    private NVerify() {}

    /**
     * The arguments.
     *
     * @param attributes what to compare
     */
    public record Args(Attributes attributes) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.NVERIFY);
        args.attributes.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(Attributes.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.NVERIFY);
    }
}
