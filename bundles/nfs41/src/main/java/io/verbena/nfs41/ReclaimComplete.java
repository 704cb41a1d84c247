package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** RECLAIM_COMPLETE: nothing more will be reclaimed (RFC 8881 section 18.51). */
public final class ReclaimComplete {
    private ReclaimComplete() {}

    /**
     * The arguments.
     *
     * @param oneFileSystem of the file system of the current object only
     */
    public record Args(boolean oneFileSystem) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.RECLAIM_COMPLETE);
        out.putBoolean(args.oneFileSystem);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getBoolean());
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.RECLAIM_COMPLETE);
    }
}
