package io.verbena.rpc;

/**
 * This host lacks memory or device resources for a connection or a call. The peer has nothing to do with the failure.
 */
public final class LocalResourceException extends TransportLostException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message names the missing resource
     * @param sent whether the call may have been sent, so that the peer may have executed it
     */
    public LocalResourceException(String message, Throwable cause, boolean sent) {
        super(message, cause, sent);
    }
}
