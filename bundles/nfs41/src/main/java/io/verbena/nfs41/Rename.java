package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** RENAME: from the saved directory to the current one (RFC 8881 section 18.26). */
public final class Rename {
    private Rename() {}

    /**
     * The arguments.
     *
     * @param oldName in the saved directory
     * @param newName in the current directory
     */
    public record Args(String oldName, String newName) {}

    /**
     * The results.
     *
     * @param source how the saved directory changed
     * @param target how the current directory changed
     */
    public record Result(ChangeInfo source, ChangeInfo target) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.RENAME);
        out.putText(args.oldName);
        out.putText(args.newName);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getText(Codec.MAX_NAME), in.getText(Codec.MAX_NAME));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.RENAME);
        result.source.encode(out);
        result.target.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(ChangeInfo.decode(in), ChangeInfo.decode(in));
    }
}
