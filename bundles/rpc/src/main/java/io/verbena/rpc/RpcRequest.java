package io.verbena.rpc;

import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A call that a peer made and that waits for its answer. What it hands out (arguments, views, buffers) is valid until
 * it has been answered. Not thread safe, but it may be passed from thread to thread.
 */
@ProviderType
public interface RpcRequest {
    RpcPeer peer();

    int xid();

    int version();

    int procedure();

    Credential credential();

    /** The arguments; bulk ones are taken with {@link XdrReader#getData}. */
    XdrReader arguments();

    /**
     * The writer of the results of a successful reply, empty at first; bulk ones are written with
     * {@link XdrWriter#putData}, best from memory of {@link #allocate}.
     */
    XdrWriter results();

    /**
     * Memory that the transport can send from without a copy: a direct buffer of exactly that capacity with
     * undefined content, freed by the transport once the answer has been sent.
     */
    ByteBuffer allocate(int bytes);

    /**
     * The most octets that the requester has made room for in the next DDP-eligible result, the {@code index}th of
     * the reply, or -1 where it offers none and the result has to go with the rest of the reply.
     */
    long resultCapacity(int index);

    /** Answers with {@code SUCCESS} and {@link #results}. */
    void reply();

    /** Answers with an accepted status other than {@code SUCCESS}. */
    void fail(AcceptStatus status);

    /** Answers with a denial for authentication's sake. */
    void reject(AuthStatus status);

    /** Gives no answer at all, as for a retransmission whose original is still being executed. */
    void drop();
}
