package io.verbena.rpc;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A call of a peer that waits for its answer. Arguments, views and buffers of the request are valid until it is
 * answered. Not thread safe, but one thread may pass it to another.
 */
@ProviderType
public interface RpcRequest {
    RpcPeer peer();

    int xid();

    int version();

    int procedure();

    Credential credential();

    /**
     * The octets of the message from its XID through its credential, which the verifier signs (RFC 2203 section 5.3.1).
     */
    ByteBuffer signedHeader();

    /** The caller's verifier. */
    OpaqueAuth verifier();

    /**
     * Sets the verifier of the reply, AUTH_NONE otherwise. Replies that are accepted carry it, whatever their status.
     */
    void setVerifier(OpaqueAuth verifier);

    /** The reader of the arguments; {@link XdrReader#getData} reads bulk arguments. */
    XdrReader arguments();

    /**
     * The writer of the results of a successful reply, empty at first. {@link XdrWriter#putData} writes bulk results,
     * best from memory of {@link #allocate}.
     */
    XdrWriter results();

    /**
     * Allocates memory from which the transport can send without a copy: a direct buffer of exactly this capacity, with
     * undefined content. The transport frees the buffer after the answer was sent.
     *
     * @throws MemoryRefusedException where there is no memory now; the program may tell the peer to try again later
     */
    ByteBuffer allocate(int bytes) throws MemoryRefusedException;

    /**
     * The octets that the requester has room for in the {@code index}th DDP-eligible result of the reply, or -1 where
     * the requester offers no memory for it and the result has to be sent with the rest of the reply.
     */
    long resultCapacity(int index);

    /** Answers with {@code SUCCESS} and {@link #results}. */
    void reply();

    /** Answers with an accepted status other than {@code SUCCESS}. */
    void fail(AcceptStatus status);

    /** Answers with a rejection because authentication failed. */
    void reject(AuthStatus status);

    /** Sends no answer. A program uses this for a retransmission while it still executes the original. */
    void drop();
}
