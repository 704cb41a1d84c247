package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** DESTROY_CLIENTID (RFC 8881 section 18.50). */
public final class DestroyClientId {
    private DestroyClientId() {}

    /**
     * The arguments.
     *
     * @param clientId a client without sessions
     */
    public record Args(long clientId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.DESTROY_CLIENTID);
        out.putLong(args.clientId);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getLong());
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.DESTROY_CLIENTID);
    }
}
