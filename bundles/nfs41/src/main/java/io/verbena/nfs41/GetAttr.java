package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** GETATTR: the current object's attributes (RFC 8881 section 18.7). */
public final class GetAttr {
    private GetAttr() {}

    /**
     * The arguments.
     *
     * @param request what to tell
     */
    public record Args(AttributeMask request) {}

    /**
     * The results.
     *
     * @param attributes what of it there is
     */
    public record Result(Attributes attributes) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.GETATTR);
        args.request.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(AttributeMask.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.GETATTR);
        result.attributes.encode(out);
    }

    /** As {@link #encodeResult(XdrWriter, Result)}, for values that are written one by one. */
    public static void encodeResult(XdrWriter out, AttributeMask mask, Attributes.ValueWriter values) {
        Codec.ok(out, Opcode.GETATTR);
        Attributes.encode(out, mask, values);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(Attributes.decode(in));
    }
}
