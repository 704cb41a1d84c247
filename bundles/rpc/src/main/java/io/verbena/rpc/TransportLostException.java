package io.verbena.rpc;

/** The connection cannot be made, or was lost and could not be made again within the time allowed. */
public final class TransportLostException extends RpcException {
    private static final long serialVersionUID = 1L;

    public TransportLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
