package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** LINK: a further name in the current directory for the saved object (RFC 8881 section 18.9). */
public final class Link {
    private Link() {}

    /**
     * The arguments.
     *
     * @param newName in the current directory
     */
    public record Args(String newName) {}

    /**
     * The results.
     *
     * @param change how the directory changed
     */
    public record Result(ChangeInfo change) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.LINK);
        out.putText(args.newName);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getText(Codec.MAX_NAME));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.LINK);
        result.change.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(ChangeInfo.decode(in));
    }
}
