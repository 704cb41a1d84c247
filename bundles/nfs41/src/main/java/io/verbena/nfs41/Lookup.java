package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** LOOKUP: goes to a name in the current directory (RFC 8881 section 18.13). */
public final class Lookup {
    private Lookup() {}

    /**
     * The arguments.
     *
     * @param name in the current directory
     */
    public record Args(String name) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.LOOKUP);
        out.putText(args.name);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getText(Codec.MAX_NAME));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.LOOKUP);
    }
}
