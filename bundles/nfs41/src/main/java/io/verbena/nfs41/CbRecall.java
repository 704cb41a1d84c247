package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_RECALL: the server wants a delegation back (RFC 8881 section 20.2). */
public final class CbRecall {
    private CbRecall() {}

    /**
     * The arguments.
     *
     * @param stateId the delegation
     * @param truncate whether the file is about to be cut to nothing, so that its data need not be written back
     * @param object the delegated file
     */
    public record Args(StateId stateId, boolean truncate, FileHandle object) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_RECALL);
        args.stateId.encode(out);
        out.putBoolean(args.truncate);
        args.object.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in), in.getBoolean(), FileHandle.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.CB_RECALL);
    }
}
