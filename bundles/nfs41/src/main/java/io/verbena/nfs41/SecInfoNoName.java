package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** SECINFO_NO_NAME: how to authenticate for the current object or its parent (RFC 8881 section 18.45). */
public final class SecInfoNoName {
    private SecInfoNoName() {}

    /** {@code secinfo_style4}. */
    public enum Style {
        CURRENT_FH,
        PARENT
    }

    /**
     * The arguments.
     *
     * @param style what is asked about
     */
    public record Args(Style style) {}

    /**
     * The results. The current filehandle is consumed.
     *
     * @param flavors what the server takes, what it likes best first
     */
    public record Result(List<SecurityFlavor> flavors) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.SECINFO_NO_NAME).putInt(args.style == Style.CURRENT_FH ? 0 : 1);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(Codec.enumeration(in, 1, "secinfo_style4") == 0 ? Style.CURRENT_FH : Style.PARENT);
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.SECINFO_NO_NAME);
        SecurityFlavor.encodeList(out, result.flavors);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(SecurityFlavor.decodeList(in));
    }
}
