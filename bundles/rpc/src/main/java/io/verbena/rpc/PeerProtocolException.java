package io.verbena.rpc;

/** The peer sent what its protocol forbids, or refused what we sent as such; sending it again would not help. */
public final class PeerProtocolException extends RpcException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what came, what is wrong with it, and the specification's section
     * @param cause the decoder's own finding, or null
     */
    public PeerProtocolException(String message, Throwable cause) {
        super(message, cause);
    }
}
