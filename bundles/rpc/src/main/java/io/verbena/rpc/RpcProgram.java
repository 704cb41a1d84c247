package io.verbena.rpc;

import java.net.SocketAddress;
import org.osgi.annotation.versioning.ConsumerType;

/** An RPC program that answers calls. An upper layer passes it to a transport, which listens for its calls. */
@ConsumerType
public interface RpcProgram {
    /** The program's number. */
    int program();

    /** The lowest version answered; the transport answers others with {@code PROG_MISMATCH}. */
    int lowVersion();

    /** The highest version answered. */
    int highVersion();

    /**
     * Answers a call, now or later, from any thread. The program calls exactly one of {@code reply}, {@code fail},
     * {@code reject} and {@code drop} of each {@link RpcRequest}. The connection's receive thread calls this method, or
     * another thread where the call had to wait; the transport interrupts neither. A program answers quick procedures
     * on that thread at once, and runs procedures that block on threads of its own.
     *
     * <p>If this method throws before the request was answered, the transport answers with {@code GARBAGE_ARGS} for an
     * {@code XdrException} and with {@code SYSTEM_ERR} for any other exception.
     */
    void handle(RpcRequest request) throws Exception;

    /**
     * Whether a peer may connect. The transport asks before it makes anything for the peer, and refuses the connection
     * otherwise. Any thread; must not block.
     *
     * @param peer the address that the connection comes from
     */
    default boolean admits(SocketAddress peer) {
        return true;
    }

    /**
     * Whether the program takes credentials of a flavor other than AUTH_NONE and AUTH_SYS, as {@link Credential.Other}.
     * The transport answers others with {@code AUTH_REJECTEDCRED}.
     */
    default boolean takesFlavor(int flavor) {
        return false;
    }

    /** A connection has ended; what the program knows of its {@link RpcPeer} is no longer valid. Must not block. */
    default void disconnected(RpcPeer peer) {}
}
