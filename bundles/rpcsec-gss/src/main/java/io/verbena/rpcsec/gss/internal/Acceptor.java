package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.security.ProtectionService;
import java.nio.ByteBuffer;
import org.ietf.jgss.GSSException;

/** Makes and keeps contexts of callers. Thread safe. */
interface Acceptor {
    /**
     * A context that is made.
     *
     * @param verifier of the reply: the checksum of the window's size
     * @param token for the caller, empty for none
     */
    record Accepted(AcceptorContext context, OpaqueAuth verifier, ByteBuffer token) {}

    /** Has another thread make a context; false where there is no room, or the server has ended. */
    boolean later(Runnable making);

    /**
     * Takes the token of a caller, and keeps the context.
     *
     * @throws GSSException where the token proves nobody
     */
    Accepted accept(byte[] token) throws GSSException;

    /** The context of a handle; null where there is none, or its time is over. */
    AcceptorContext find(ByteBuffer handle);

    /** Forgets a context. */
    void remove(AcceptorContext context);

    /** Whether calls may be protected by that and no more. */
    boolean allows(ProtectionService service);
}
