package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.Optional;

/** EXCHANGE_ID: makes a client known (RFC 8881 section 18.35). */
public final class ExchangeId {
    public static final int SUPP_MOVED_REFER = 0x1;
    public static final int SUPP_MOVED_MIGR = 0x2;
    public static final int BIND_PRINC_STATEID = 0x100;
    public static final int USE_NON_PNFS = 0x10000;
    public static final int USE_PNFS_MDS = 0x20000;
    public static final int USE_PNFS_DS = 0x40000;
    public static final int UPD_CONFIRMED_REC_A = 0x40000000;
    public static final int CONFIRMED_R = 0x80000000;

    private static final int MAX_OPAQUE = 1024;

    private ExchangeId() {}

    /**
     * The arguments.
     *
     * @param verifier the client's incarnation: another one means that it has restarted
     * @param ownerId the client's name, the same over restarts
     * @param flags bits of SUPP_MOVED_REFER to UPD_CONFIRMED_REC_A
     * @param stateProtection wanted
     * @param implementation what software the client is
     */
    public record Args(
            long verifier,
            Opaque ownerId,
            int flags,
            StateProtection stateProtection,
            Optional<ImplementationId> implementation) {}

    /**
     * The results.
     *
     * @param clientId the client's short name
     * @param sequenceId to be used with CREATE_SESSION
     * @param flags bits of SUPP_MOVED_REFER to CONFIRMED_R
     * @param stateProtection granted
     * @param serverMinorId of the server's owner
     * @param serverMajorId of the server's owner: servers of the same one may share sessions
     * @param serverScope servers of the same one share client ids and filehandles
     * @param implementation what software the server is
     */
    public record Result(
            long clientId,
            int sequenceId,
            int flags,
            StateProtection stateProtection,
            long serverMinorId,
            Opaque serverMajorId,
            Opaque serverScope,
            Optional<ImplementationId> implementation) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.EXCHANGE_ID).putLong(args.verifier);
        args.ownerId.encode(out);
        out.putInt(args.flags);
        args.stateProtection.encode(out);
        ImplementationId.encodeOptional(out, args.implementation);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(
                in.getLong(),
                Opaque.decode(in, MAX_OPAQUE),
                in.getInt(),
                StateProtection.decodeArgs(in),
                ImplementationId.decodeOptional(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.EXCHANGE_ID)
                .putLong(result.clientId)
                .putInt(result.sequenceId)
                .putInt(result.flags);
        result.stateProtection.encode(out);
        out.putLong(result.serverMinorId);
        result.serverMajorId.encode(out);
        result.serverScope.encode(out);
        ImplementationId.encodeOptional(out, result.implementation);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(
                in.getLong(),
                in.getInt(),
                in.getInt(),
                StateProtection.decodeResult(in),
                in.getLong(),
                Opaque.decode(in, MAX_OPAQUE),
                Opaque.decode(in, MAX_OPAQUE),
                ImplementationId.decodeOptional(in));
    }
}
