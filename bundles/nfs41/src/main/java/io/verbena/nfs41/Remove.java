package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** REMOVE: removes a name from the current directory (RFC 8881 section 18.25). */
public final class Remove {
    private Remove() {}

    /**
     * The arguments.
     *
     * @param target in the current directory
     */
    public record Args(String target) {}

    /**
     * The results.
     *
     * @param change how the directory changed
     */
    public record Result(ChangeInfo change) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.REMOVE);
        out.putText(args.target);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getText(Codec.MAX_NAME));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.REMOVE);
        result.change.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(ChangeInfo.decode(in));
    }
}
