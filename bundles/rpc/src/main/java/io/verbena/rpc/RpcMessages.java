package io.verbena.rpc;

import io.verbena.rpc.RpcRejectedException.Reason;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** The headers of RPC messages (RFC 5531 section 9), for transports. */
public final class RpcMessages {
    public static final int CALL = 0;
    public static final int REPLY = 1;
    public static final int RPC_VERSION = 2;

    /** The offset of {@code msg_type} in any RPC message. */
    public static final int TYPE_OFFSET = 4;

    private static final int MSG_ACCEPTED = 0;
    private static final int MSG_DENIED = 1;
    private static final int RPC_MISMATCH = 0;
    private static final int AUTH_ERROR = 1;

    private RpcMessages() {}

    /**
     * The header of a received call. With an {@code rpcVersion} other than 2 the rest is not read.
     *
     * @param xid the transaction
     * @param rpcVersion the peer's RPC version, which should be 2
     * @param program number of the program called
     * @param version its version
     * @param procedure its procedure
     * @param credential the caller's
     * @param signedOctets the octets from the XID through the credential, which a verifier signs (RFC 2203 section
     *     5.3.1)
     * @param verifier the caller's
     */
    public record CallHeader(
            int xid,
            int rpcVersion,
            int program,
            int version,
            int procedure,
            Credential credential,
            int signedOctets,
            OpaqueAuth verifier) {}

    /** Reads a call's header, up to the arguments. */
    public static CallHeader readCall(XdrReader in) throws XdrException {
        int start = in.position();
        int xid = in.getInt();
        int type = in.getInt();
        if (type != CALL) {
            throw new XdrException("message type " + type + " where a call was expected", TYPE_OFFSET);
        }
        int rpcVersion = in.getInt();
        if (rpcVersion != RPC_VERSION) {
            return new CallHeader(xid, rpcVersion, 0, 0, 0, Credential.none(), 0, OpaqueAuth.NONE);
        }
        int program = in.getInt();
        int version = in.getInt();
        int procedure = in.getInt();
        Credential credential = Credential.decode(in);
        int signed = in.position() - start;
        return new CallHeader(xid, rpcVersion, program, version, procedure, credential, signed, OpaqueAuth.decode(in));
    }

    /** Writes a call's header up to its credential. */
    public static void writeCall(XdrWriter out, int xid, int program, int version, int procedure) {
        out.putInt(xid)
                .putInt(CALL)
                .putInt(RPC_VERSION)
                .putInt(program)
                .putInt(version)
                .putInt(procedure);
    }

    /**
     * Reads a reply's header, up to the results, and has them checked and opened as the call is protected.
     *
     * @return a reader of the results
     * @throws RpcRejectedException where the call was not accepted with {@code SUCCESS}
     * @throws PeerProtocolException where the reply is not what the peer has protected
     */
    public static XdrReader readReply(XdrReader in, RpcCall call)
            throws XdrException, RpcRejectedException, PeerProtocolException {
        in.getInt(); // the XID, which the transport has matched already
        int type = in.getInt();
        if (type != REPLY) {
            throw new XdrException("message type " + type + " where a reply was expected", TYPE_OFFSET);
        }
        int status = in.getInt();
        switch (status) {
            case MSG_ACCEPTED -> readAccepted(in, call);
            case MSG_DENIED -> {
                RpcRejectedException denied = readDenied(in);
                call.denied(denied.authStatus());
                throw denied.withSent(call.isProtected() || denied.wasSent());
            }
            default -> throw new XdrException("reply status " + status, in.position() - 4);
        }
        return call.open(in);
    }

    private static void readAccepted(XdrReader in, RpcCall call)
            throws XdrException, RpcRejectedException, PeerProtocolException {
        if (call.isProtected()) {
            call.verify(OpaqueAuth.decode(in));
        } else {
            in.getInt();
            in.skipOpaque(Credential.MAX_BODY);
        }
        int status = in.getInt();
        switch (status) {
            case 0 -> {}
            case 1 -> throw rejected(Reason.PROG_UNAVAIL, "the server does not have this RPC program");
            case 2 ->
                throw rejected(
                        Reason.PROG_MISMATCH,
                        "the server has versions " + in.getUnsignedInt() + " to " + in.getUnsignedInt()
                                + " of this RPC program");
            case 3 -> throw rejected(Reason.PROC_UNAVAIL, "the server does not have this procedure");
            case 4 -> throw rejected(Reason.GARBAGE_ARGS, "the server could not decode the arguments");
            case 5 -> throw rejected(Reason.SYSTEM_ERR, "the server met an error of its own");
            default -> throw new XdrException("accept status " + status, in.position() - 4);
        }
    }

    private static RpcRejectedException readDenied(XdrReader in) throws XdrException {
        int status = in.getInt();
        return switch (status) {
            case RPC_MISMATCH ->
                rejected(
                        Reason.RPC_MISMATCH,
                        "the server speaks RPC versions " + in.getUnsignedInt() + " to " + in.getUnsignedInt());
            case AUTH_ERROR -> {
                AuthStatus auth = AuthStatus.of(in.getInt());
                yield new RpcRejectedException(auth, "the server refuses the credential: " + auth);
            }
            default -> throw new XdrException("reject status " + status, in.position() - 4);
        };
    }

    /** Writes the header of an accepted reply. With {@code SUCCESS} the results follow. */
    public static void writeAccepted(XdrWriter out, int xid, OpaqueAuth verifier, AcceptStatus status) {
        out.putInt(xid).putInt(REPLY).putInt(MSG_ACCEPTED);
        verifier.encode(out);
        out.putInt(status.code());
    }

    /** Writes the whole reply to a call of an unsupported version of the program. */
    public static void writeProgramMismatch(XdrWriter out, int xid, int low, int high) {
        writeAccepted(out, xid, OpaqueAuth.NONE, AcceptStatus.PROG_MISMATCH);
        out.putInt(low).putInt(high);
    }

    /** Writes the whole reply to a call of another RPC version than 2. */
    public static void writeRpcMismatch(XdrWriter out, int xid) {
        out.putInt(xid).putInt(REPLY).putInt(MSG_DENIED).putInt(RPC_MISMATCH);
        out.putInt(RPC_VERSION).putInt(RPC_VERSION);
    }

    /** Writes the whole reply to a call whose credential is refused. */
    public static void writeAuthError(XdrWriter out, int xid, AuthStatus status) {
        out.putInt(xid).putInt(REPLY).putInt(MSG_DENIED).putInt(AUTH_ERROR).putInt(status.code());
    }

    private static RpcRejectedException rejected(Reason reason, String message) {
        return new RpcRejectedException(reason, message);
    }
}
