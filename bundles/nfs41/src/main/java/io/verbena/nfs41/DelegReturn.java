package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** DELEGRETURN: gives a delegation back (RFC 8881 section 18.6). */
public final class DelegReturn {
    private DelegReturn() {}

    /**
     * The arguments.
     *
     * @param stateId the delegation
     */
    public record Args(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.DELEGRETURN);
        args.stateId.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.DELEGRETURN);
    }
}
