package io.verbena.rpc;

/** The peer understood the transport and answered the call with an RPC-level error (RFC 5531 section 9). */
public final class RpcRejectedException extends RpcException {
    private static final long serialVersionUID = 1L;

    /** What the peer answered, by the names of RFC 5531. */
    public enum Reason {
        PROG_UNAVAIL,
        PROG_MISMATCH,
        PROC_UNAVAIL,
        GARBAGE_ARGS,
        SYSTEM_ERR,
        RPC_MISMATCH,
        AUTH_ERROR
    }

    private final Reason reason;
    private final AuthStatus authStatus;

    public RpcRejectedException(Reason reason, String message) {
        this(reason, AuthStatus.AUTH_OK, message);
    }

    public RpcRejectedException(AuthStatus status, String message) {
        this(Reason.AUTH_ERROR, status, message);
    }

    private RpcRejectedException(Reason reason, AuthStatus authStatus, String message) {
        super(message, null);
        this.reason = reason;
        this.authStatus = authStatus;
    }

    public Reason reason() {
        return reason;
    }

    /** Why authentication failed where {@link #reason} is {@code AUTH_ERROR}, else {@code AUTH_OK}. */
    public AuthStatus authStatus() {
        return authStatus;
    }
}
