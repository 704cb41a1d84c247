package io.verbena.rpc;

/** A service that the call needs is not there, and did not come in the time allowed. */
public final class MissingServiceException extends RpcException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message names the service and what would bring it
     */
    public MissingServiceException(String message) {
        super(message, null);
    }
}
