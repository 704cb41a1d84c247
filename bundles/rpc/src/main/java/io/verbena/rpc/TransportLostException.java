package io.verbena.rpc;

/** The connection cannot be made, or was lost and could not be made again within the time allowed. */
public final class TransportLostException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /** Of what may have been sent. */
    public TransportLostException(String message, Throwable cause) {
        this(message, cause, true);
    }

    /**
     * @param sent whether the call may have gone out: the peer may have executed it
     */
    public TransportLostException(String message, Throwable cause, boolean sent) {
        super(message, cause);
        this.sent = sent;
    }

    /** Whether the call may have gone out; if not, it was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
