package io.verbena.rpc;

/** No reply came in the time that the call was given; whether the peer executed it is not known. */
public final class CallTimedOutException extends RpcException {
    private static final long serialVersionUID = 1L;

    public CallTimedOutException(String message) {
        super(message, null);
    }
}
