package io.verbena.rpc;

/** The connection could not be established, or was lost and could not be re-established in the time allowed. */
public sealed class TransportLostException extends RpcException permits LocalResourceException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /** Creates the exception for a call that may have been sent. */
    public TransportLostException(String message, Throwable cause) {
        this(message, cause, true);
    }

    /**
     * @param sent whether the call may have been sent, so that the peer may have executed it
     */
    public TransportLostException(String message, Throwable cause, boolean sent) {
        super(message, cause);
        this.sent = sent;
    }

    /** Whether the call may have been sent. A call that was not sent was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
