package io.verbena.rpc;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The protection of one call, over all its transmissions, and of its reply. The transport calls the methods, on threads
 * that must not be blocked, and one at a time.
 */
@ConsumerType
public interface CallProtection {
    /**
     * Writes the call as one transmission carries it: the RPC header with credential and verifier, and the arguments,
     * protected. Data items of the arguments stay items where the flavor leaves arguments as they are.
     *
     * @param xid of the call, the same in all transmissions
     * @param arguments of the procedure; not changed
     * @param message written from its present end on
     * @throws RpcException where the call cannot be protected any more, such as for credentials that have expired;
     *     nothing is sent then
     */
    void seal(int xid, XdrWriter arguments, XdrWriter message) throws RpcException;

    /**
     * Checks the verifier of an accepted reply.
     *
     * @throws PeerProtocolException where the verifier does not prove that the reply is the peer's answer to a
     *     transmission of the call
     */
    void verify(OpaqueAuth verifier) throws PeerProtocolException;

    /** The peer has denied a transmission of the call, and not executed it (RFC 5531 section 9). */
    default void denied(AuthStatus status) {}

    /**
     * Opens the results of a reply with {@link AcceptStatus#SUCCESS}.
     *
     * @param results behind the reply's header
     * @return a reader of the procedure's own results; {@code results} itself where the flavor leaves them as they are
     * @throws PeerProtocolException where the results are not what the peer has protected
     */
    XdrReader open(XdrReader results) throws XdrException, PeerProtocolException;

    /**
     * Whether arguments and results are protected as a whole, data included: none of their data has a chunk of its own
     * then, and long messages travel whole (RFC 8166 section 10.2).
     */
    boolean isWhole();

    /** The most octets that the protection adds to a reply. Asked for a transmission that is sealed. */
    int replyOverhead();
}
