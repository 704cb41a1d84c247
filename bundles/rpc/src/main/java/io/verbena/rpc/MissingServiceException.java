package io.verbena.rpc;

/** An OSGi service that the call needs is missing, and was not registered in the time allowed. */
public final class MissingServiceException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /**
     * Creates the exception for a call that was not sent.
     *
     * @param message names the service and what would bring it
     */
    public MissingServiceException(String message) {
        this(message, false);
    }

    /**
     * @param message names the service and what would bring it
     * @param sent whether the call was sent before the service went away, so that the peer may have executed it
     */
    public MissingServiceException(String message, boolean sent) {
        super(message, null);
        this.sent = sent;
    }

    /** Whether the call was sent before the service went away. A call that was not sent was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
