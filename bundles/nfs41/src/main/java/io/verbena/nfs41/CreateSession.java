package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** CREATE_SESSION (RFC 8881 section 18.36). */
public final class CreateSession {
    public static final int PERSIST = 1;
    public static final int CONN_BACK_CHAN = 2;
    public static final int CONN_RDMA = 4;

    private CreateSession() {}

    /**
     * The arguments.
     *
     * @param clientId EXCHANGE_ID's
     * @param sequenceId EXCHANGE_ID's, one more with each further session
     * @param flags bits of PERSIST, CONN_BACK_CHAN and CONN_RDMA
     * @param foreChannel limits wanted of requests of the client
     * @param backChannel limits wanted of callbacks
     * @param callbackProgram the RPC program of callbacks, unsigned
     * @param callbackSecurity how callbacks may be authenticated
     */
    public record Args(
            long clientId,
            int sequenceId,
            int flags,
            ChannelAttributes foreChannel,
            ChannelAttributes backChannel,
            int callbackProgram,
            List<CallbackSecurity> callbackSecurity) {}

    /**
     * The results.
     *
     * @param sessionId the session
     * @param sequenceId the request's
     * @param flags what of the request's was granted
     * @param foreChannel limits of requests of the client
     * @param backChannel limits of callbacks
     */
    public record Result(
            SessionId sessionId,
            int sequenceId,
            int flags,
            ChannelAttributes foreChannel,
            ChannelAttributes backChannel) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CREATE_SESSION)
                .putLong(args.clientId)
                .putInt(args.sequenceId)
                .putInt(args.flags);
        args.foreChannel.encode(out);
        args.backChannel.encode(out);
        out.putInt(args.callbackProgram);
        CallbackSecurity.encodeList(out, args.callbackSecurity);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(
                in.getLong(),
                in.getInt(),
                in.getInt(),
                ChannelAttributes.decode(in),
                ChannelAttributes.decode(in),
                in.getInt(),
                CallbackSecurity.decodeList(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.CREATE_SESSION);
        result.sessionId.encode(out);
        out.putInt(result.sequenceId).putInt(result.flags);
        result.foreChannel.encode(out);
        result.backChannel.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(
                SessionId.decode(in),
                in.getInt(),
                in.getInt(),
                ChannelAttributes.decode(in),
                ChannelAttributes.decode(in));
    }
}
