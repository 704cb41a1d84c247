package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** SETATTR (RFC 8881 section 18.30). Its result has a body whether it succeeded or not. */
public final class SetAttr {
    private SetAttr() {}

    /**
     * The arguments.
     *
     * @param stateId an open with write access where the size changes, else {@link StateId#ANONYMOUS}
     * @param attributes what to set
     */
    public record Args(StateId stateId, Attributes attributes) {}

    /**
     * The results.
     *
     * @param status how it ended
     * @param attributesSet what was set, also before it failed
     */
    public record Result(Status status, AttributeMask attributesSet) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.SETATTR);
        args.stateId.encode(out);
        args.attributes.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in), Attributes.decode(in));
    }

    /** Writes the result of success and of failure alike. */
    public static void encodeResult(XdrWriter out, Result result) {
        out.putInt(Opcode.SETATTR);
        result.status.encode(out);
        result.attributesSet.encode(out);
    }

    /** Reads what follows {@code status}, of success and of failure alike. */
    public static Result decodeResult(XdrReader in, Status status) throws XdrException {
        return new Result(status, AttributeMask.decode(in));
    }
}
