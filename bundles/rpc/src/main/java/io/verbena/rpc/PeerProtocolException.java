package io.verbena.rpc;

/**
 * The peer sent a message that the protocol forbids, or refused our message as such. A retransmission does not help.
 */
public final class PeerProtocolException extends RpcException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message the received content, what is wrong with it, and the section of the specification
     * @param cause the decoder's exception, or null
     */
    public PeerProtocolException(String message, Throwable cause) {
        super(message, cause);
    }
}
