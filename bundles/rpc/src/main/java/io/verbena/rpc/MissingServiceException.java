package io.verbena.rpc;

/** A service that the call needs is not there, and did not come in the time allowed. */
public final class MissingServiceException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /**
     * Of what was not sent.
     *
     * @param message names the service and what would bring it
     */
    public MissingServiceException(String message) {
        this(message, false);
    }

    /**
     * @param message names the service and what would bring it
     * @param sent whether the call went out before the service went: the peer may have executed it
     */
    public MissingServiceException(String message, boolean sent) {
        super(message, null);
        this.sent = sent;
    }

    /** Whether the call went out before the service went; if not, it was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
