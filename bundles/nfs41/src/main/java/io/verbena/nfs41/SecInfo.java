package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** SECINFO: how to authenticate for a name in the current directory (RFC 8881 section 18.29). */
public final class SecInfo {
    private SecInfo() {}

    /**
     * The arguments.
     *
     * @param name in the current directory
     */
    public record Args(String name) {}

    /**
     * The results.
     *
     * @param flavors what the server takes, what it likes best first
     */
    public record Result(List<SecurityFlavor> flavors) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.SECINFO);
        out.putText(args.name);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getText(Codec.MAX_NAME));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.SECINFO);
        SecurityFlavor.encodeList(out, result.flavors);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(SecurityFlavor.decodeList(in));
    }
}
