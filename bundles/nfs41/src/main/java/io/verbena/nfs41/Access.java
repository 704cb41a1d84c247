package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** ACCESS: what the user may do with the current object (RFC 8881 section 18.1). */
public final class Access {
    public static final int READ = 0x01;
    public static final int LOOKUP = 0x02;
    public static final int MODIFY = 0x04;
    public static final int EXTEND = 0x08;
    public static final int DELETE = 0x10;
    public static final int EXECUTE = 0x20;

    private Access() {}

    /**
     * The arguments.
     *
     * @param access what to check: bits of READ to EXECUTE
     */
    public record Args(int access) {}

    /**
     * The results.
     *
     * @param supported what the server can tell
     * @param access of that, what is allowed
     */
    public record Result(int supported, int access) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.ACCESS);
        out.putInt(args.access);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.ACCESS);
        out.putInt(result.supported);
        out.putInt(result.access);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(in.getInt(), in.getInt());
    }
}
