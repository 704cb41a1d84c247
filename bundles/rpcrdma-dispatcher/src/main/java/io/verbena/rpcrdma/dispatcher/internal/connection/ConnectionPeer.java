package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpc.RpcPeer;

/** The other end of one connection, as the role sees it that answers its calls. */
public interface ConnectionPeer extends RpcPeer {
    /**
     * The connection has ended, and the program knows. Receive thread.
     *
     * @param cause why, or null after an orderly end
     */
    void ended(Exception cause);
}
