package io.verbena.rpc;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One call that the upper layer passes to a transport: the RPC message with its header but without an XID, bulk
 * arguments by reference ({@link XdrWriter#putData}), buffers for bulk results, and the largest size of the reply. Not
 * thread safe. The transport owns the call from {@link RpcConnection#call} until the call's future is complete.
 */
public final class RpcCall {
    /** The default of {@link #timeout}. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    private static final int XID_OFFSET = 0;

    private final XdrWriter message;
    private final int procedure;
    /** Null for a credential that is the same in each transmission. */
    private final CallProtection protection;

    private XdrWriter sealed;
    private int sealedXid;
    private int transmissions;
    private final List<ByteBuffer> resultSinks = new ArrayList<>(1);
    private int maxReplySize = 512;
    private Duration timeout = DEFAULT_TIMEOUT;

    public RpcCall(int program, int version, int procedure, Credential credential) {
        this(new XdrWriter(), program, version, procedure, credential);
    }

    /**
     * @param message the writer of the message; the constructor resets it
     */
    public RpcCall(XdrWriter message, int program, int version, int procedure, Credential credential) {
        this.message = message;
        this.procedure = procedure;
        this.protection = null;
        message.reset();
        message.putInt(0).putInt(RpcMessages.CALL).putInt(RpcMessages.RPC_VERSION);
        message.putInt(program).putInt(version).putInt(procedure);
        credential.encode(message);
        Credential.none().encode(message); // the verifier
    }

    /**
     * A call that is protected anew for each transmission.
     *
     * @param message the writer of the arguments; the constructor resets it
     */
    public RpcCall(XdrWriter message, int program, int version, int procedure, CallSecurity security) {
        this.message = message;
        this.procedure = procedure;
        this.protection = security.protect(program, version, procedure);
        message.reset();
    }

    /** The writer of the call's arguments. Its position is behind the RPC header, if that is written already. */
    public XdrWriter arguments() {
        return message;
    }

    /**
     * The message: the RPC header and the arguments. For a call that is protected anew for each transmission, the
     * arguments until the first transmission, and then what was transmitted last.
     */
    public XdrWriter message() {
        return sealed == null ? message : sealed;
    }

    /**
     * The whole message for the next transmission. The transport calls this each time that it sends the call, and gives
     * outstanding calls different XIDs.
     *
     * @return valid until the next call of this method
     * @throws RpcException where the call cannot be protected any more
     */
    public XdrWriter transmission(int xid) throws RpcException {
        transmissions++;
        if (protection == null) {
            setXid(xid);
            return message;
        }
        if (sealed == null) {
            sealed = new XdrWriter();
        }
        sealed.reset();
        protection.seal(xid, message, sealed);
        sealedXid = xid;
        return sealed;
    }

    /**
     * How often the transport has begun to send the call. After more than once a peer may have executed the call before
     * the transmission that it has answered. Once the future of a call has failed after none, the peer has not seen the
     * call, and never will.
     */
    public int transmissions() {
        return transmissions;
    }

    /** Whether the call is protected anew for each transmission. */
    boolean isProtected() {
        return protection != null;
    }

    /** Checks the verifier of an accepted reply to a protected call, see {@link CallProtection#verify}. */
    void verify(OpaqueAuth verifier) throws PeerProtocolException {
        protection.verify(verifier);
    }

    void denied(AuthStatus status) {
        if (protection != null && status != AuthStatus.AUTH_OK) {
            protection.denied(status);
        }
    }

    /** Opens the results of a reply, see {@link CallProtection#open}. */
    XdrReader open(XdrReader results) throws XdrException, PeerProtocolException {
        return protection == null ? results : protection.open(results);
    }

    public int procedure() {
        return procedure;
    }

    /** The XID that the transport set last, or 0. */
    public int xid() {
        return protection == null ? message.getInt(XID_OFFSET) : sealedXid;
    }

    /** Sets the XID of a message that is not protected anew for each transmission. */
    void setXid(int xid) {
        message.setInt(XID_OFFSET, xid);
    }

    /**
     * Offers memory for the next DDP-eligible result, in the order of the results. The peer may place the result there
     * directly, from the buffer's position to its limit; the decoder takes it with {@code XdrReader.getDataInto(sink)}.
     * The caller must not touch the memory until the call's future is complete.
     */
    public RpcCall expectData(ByteBuffer sink) {
        resultSinks.add(sink);
        return this;
    }

    /**
     * The buffers for DDP-eligible results that the transport may offer to the peer, in the order of the results. None
     * where results are protected as a whole.
     */
    public List<ByteBuffer> resultSinks() {
        return isWhole() ? List.of() : Collections.unmodifiableList(resultSinks);
    }

    private boolean isWhole() {
        return protection != null && protection.isWhole();
    }

    /**
     * @param bytes the size of the largest reply with its RPC header, without the data of the sinks; 512 by default
     */
    public RpcCall maxReplySize(int bytes) {
        this.maxReplySize = bytes;
        return this;
    }

    /** The octets of the largest reply, without the data of {@link #resultSinks}. */
    public int maxReplySize() {
        if (protection == null) {
            return maxReplySize;
        }
        long size = (long) maxReplySize + protection.replyOverhead();
        if (protection.isWhole()) {
            for (ByteBuffer sink : resultSinks) {
                size += XdrWriter.roundUp(sink.remaining());
            }
        }
        return Math.toIntExact(size);
    }

    /**
     * How long the call may take in all, waiting for credits, reconnecting and retransmission included; but not the
     * time in which a service is missing on this host, which {@link ConnectOptions#serviceTimeout} bounds.
     */
    public RpcCall timeout(Duration limit) {
        this.timeout = limit;
        return this;
    }

    public Duration timeout() {
        return timeout;
    }
}
