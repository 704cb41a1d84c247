package io.verbena.rpc;

import java.io.IOException;

/** An RPC that did not bring a result. The subclasses are all that there are. */
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
