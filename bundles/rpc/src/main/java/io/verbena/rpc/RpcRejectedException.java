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
    private final boolean sent;

    public RpcRejectedException(Reason reason, String message) {
        this(reason, AuthStatus.AUTH_OK, message, true);
    }

    public RpcRejectedException(AuthStatus status, String message) {
        this(status, message, false);
    }

    /** @param sent see {@link #wasSent} */
    public RpcRejectedException(AuthStatus status, String message, boolean sent) {
        this(Reason.AUTH_ERROR, status, message, sent);
    }

    private RpcRejectedException(Reason reason, AuthStatus authStatus, String message, boolean sent) {
        super(message, null);
        this.reason = reason;
        this.authStatus = authStatus;
        this.sent = sent;
    }

    public Reason reason() {
        return reason;
    }

    /** Why authentication failed where {@link #reason} is {@code AUTH_ERROR}, else {@code AUTH_OK}. */
    public AuthStatus authStatus() {
        return authStatus;
    }

    /**
     * Whether the peer may have executed the call. A denial tells of the transmission that it answers: an earlier one
     * of the same call, whose reply was lost, may have been executed. And nothing proves a denial, so that anybody on
     * the way can make one up where the call itself is protected.
     */
    public boolean wasSent() {
        return sent;
    }

    /** The same failure of a call of which that is known. */
    public RpcRejectedException withSent(boolean known) {
        if (known == sent) {
            return this;
        }
        RpcRejectedException copy = new RpcRejectedException(reason, authStatus, getMessage(), known);
        copy.setStackTrace(getStackTrace());
        for (Throwable each : getSuppressed()) {
            copy.addSuppressed(each);
        }
        return copy;
    }
}
