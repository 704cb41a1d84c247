package io.verbena.rpc;

import org.osgi.annotation.versioning.ConsumerType;

/** An RPC program that answers calls: what an upper layer gives a transport to listen for. */
@ConsumerType
public interface RpcProgram {
    /** The program's number. */
    int program();

    /** The lowest version answered; the transport answers others with {@code PROG_MISMATCH}. */
    int lowVersion();

    /** The highest version answered. */
    int highVersion();

    /**
     * Answers a call, now or later, from any thread: exactly one of {@link RpcRequest}'s {@code reply},
     * {@code fail} and {@code drop} is called for each request. Called on the connection's receive thread, on which
     * quick procedures are best answered at once; what blocks for long belongs on a thread of the program's.
     *
     * <p>An exception thrown here is answered with {@code SYSTEM_ERR}, an {@code XdrException} with
     * {@code GARBAGE_ARGS}, unless the request was answered before.
     */
    void handle(RpcRequest request) throws Exception;

    /** A connection has gone: nothing that was learnt from its {@link RpcPeer} holds any more. Must not block. */
    default void disconnected(RpcPeer peer) {}
}
