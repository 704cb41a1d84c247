package io.verbena.rpc;

import java.io.IOException;

/** An RPC failed. The permitted subclasses are all kinds of failure. */
public abstract sealed class RpcException extends IOException
        permits RpcRejectedException,
                TransportLostException,
                CallTimedOutException,
                PeerProtocolException,
                MissingServiceException {
    private static final long serialVersionUID = 1L;

    RpcException(String message, Throwable cause) {
        super(message, cause);
    }
}
