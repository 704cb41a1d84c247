package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** SEQUENCE: the first operation of nearly every COMPOUND, which makes it happen once (RFC 8881 section 18.46). */
public final class Sequence {
    public static final int CB_PATH_DOWN = 0x001;
    public static final int CB_GSS_CONTEXTS_EXPIRING = 0x002;
    public static final int CB_GSS_CONTEXTS_EXPIRED = 0x004;
    public static final int EXPIRED_ALL_STATE_REVOKED = 0x008;
    public static final int EXPIRED_SOME_STATE_REVOKED = 0x010;
    public static final int ADMIN_STATE_REVOKED = 0x020;
    public static final int RECALLABLE_STATE_REVOKED = 0x040;
    public static final int LEASE_MOVED = 0x080;
    public static final int RESTART_RECLAIM_NEEDED = 0x100;
    public static final int CB_PATH_DOWN_SESSION = 0x200;
    public static final int BACKCHANNEL_FAULT = 0x400;
    public static final int DEVID_CHANGED = 0x800;
    public static final int DEVID_DELETED = 0x1000;

    private Sequence() {}

    /**
     * The arguments.
     *
     * @param sessionId the session
     * @param sequenceId one more than the slot's last, unsigned
     * @param slotId the slot
     * @param highestSlotId the highest slot that the client has a request in
     * @param cacheThis whether the reply shall be kept in the reply cache
     */
    public record Args(SessionId sessionId, int sequenceId, int slotId, int highestSlotId, boolean cacheThis) {}

    /**
     * The results.
     *
     * @param sessionId as in the request
     * @param sequenceId as in the request
     * @param slotId as in the request
     * @param highestSlotId the highest slot that the server accepts
     * @param targetHighestSlotId the highest slot that the server wishes the client to use
     * @param statusFlags what has happened to state: bits of CB_PATH_DOWN and the following
     */
    public record Result(
            SessionId sessionId,
            int sequenceId,
            int slotId,
            int highestSlotId,
            int targetHighestSlotId,
            int statusFlags) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.SEQUENCE);
        args.sessionId.encode(out);
        out.putInt(args.sequenceId);
        out.putInt(args.slotId);
        out.putInt(args.highestSlotId);
        out.putBoolean(args.cacheThis);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(SessionId.decode(in), in.getInt(), in.getInt(), in.getInt(), in.getBoolean());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.SEQUENCE);
        result.sessionId.encode(out);
        out.putInt(result.sequenceId);
        out.putInt(result.slotId);
        out.putInt(result.highestSlotId);
        out.putInt(result.targetHighestSlotId);
        out.putInt(result.statusFlags);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(SessionId.decode(in), in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt());
    }
}
