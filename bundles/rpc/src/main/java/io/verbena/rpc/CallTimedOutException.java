package io.verbena.rpc;

/** No reply came within the call's time-out. */
public final class CallTimedOutException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /**
     * @param sent whether the call was sent, so that the peer may have executed it
     */
    public CallTimedOutException(String message, boolean sent) {
        super(message, null);
        this.sent = sent;
    }

    /** Whether the call was sent. A call that was not sent has waited behind other calls, and was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
