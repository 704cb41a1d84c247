package io.verbena.rpc;

/** No reply came in the time that the call was given. */
public final class CallTimedOutException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /**
     * @param sent whether the call went out: the peer may have executed it, and is silent
     */
    public CallTimedOutException(String message, boolean sent) {
        super(message, null);
        this.sent = sent;
    }

    /** Whether the call went out; if not, it has waited for others all the time, and was not executed. */
    public boolean wasSent() {
        return sent;
    }
}
