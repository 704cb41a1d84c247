package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** FREE_STATEID: forgets a lock or a revoked state (RFC 8881 section 18.38). */
public final class FreeStateId {
    private FreeStateId() {}

    /**
     * The arguments.
     *
     * @param stateId what to forget
     */
    public record Args(StateId stateId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.FREE_STATEID);
        args.stateId.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.FREE_STATEID);
    }
}
