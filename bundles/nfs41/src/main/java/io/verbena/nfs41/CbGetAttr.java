package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_GETATTR: a file's attributes as the holder of its write delegation sees them (RFC 8881 section 20.1). */
public final class CbGetAttr {
    private CbGetAttr() {}

    /**
     * The arguments.
     *
     * @param object the delegated file
     * @param request what to tell: of {@link Attribute#SIZE} and {@link Attribute#CHANGE}
     */
    public record Args(FileHandle object, AttributeMask request) {}

    /**
     * The results.
     *
     * @param attributes what of it there is
     */
    public record Result(Attributes attributes) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_GETATTR);
        args.object.encode(out);
        args.request.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(FileHandle.decode(in), AttributeMask.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.CB_GETATTR);
        result.attributes.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(Attributes.decode(in));
    }
}
