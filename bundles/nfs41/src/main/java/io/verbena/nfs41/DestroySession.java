package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** DESTROY_SESSION (RFC 8881 section 18.37). */
public final class DestroySession {
    private DestroySession() {}

    /**
     * The arguments.
     *
     * @param sessionId the session
     */
    public record Args(SessionId sessionId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.DESTROY_SESSION);
        args.sessionId.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(SessionId.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.DESTROY_SESSION);
    }
}
