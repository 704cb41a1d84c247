package io.verbena.rpc;

import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One call as the upper layer hands it to a transport: the RPC message with its header written and its XID still open,
 * bulk arguments by reference ({@link XdrWriter#putData}), where bulk results may go, and how large the reply may be.
 * Not thread safe; it belongs to the transport from {@link RpcConnection#call} until the call's future is complete.
 */
public final class RpcCall {
    /** The default of {@link #timeout}. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    private static final int XID_OFFSET = 0;

    private final XdrWriter message;
    private final int procedure;
    private final List<ByteBuffer> resultSinks = new ArrayList<>(1);
    private int maxReplySize = 512;
    private Duration timeout = DEFAULT_TIMEOUT;

    public RpcCall(int program, int version, int procedure, Credential credential) {
        this(new XdrWriter(), program, version, procedure, credential);
    }

    /**
     * @param message a writer to reuse, which is reset first
     */
    public RpcCall(XdrWriter message, int program, int version, int procedure, Credential credential) {
        this.message = message;
        this.procedure = procedure;
        message.reset();
        message.putInt(0).putInt(RpcMessages.CALL).putInt(RpcMessages.RPC_VERSION);
        message.putInt(program).putInt(version).putInt(procedure);
        credential.encode(message);
        Credential.none().encode(message); // the verifier
    }

    /** The writer of the call's arguments, which stands behind the RPC header. */
    public XdrWriter arguments() {
        return message;
    }

    /** The whole message: the RPC header and the arguments. */
    public XdrWriter message() {
        return message;
    }

    public int procedure() {
        return procedure;
    }

    /** The XID that the transport has set last, 0 before that. */
    public int xid() {
        return message.getInt(XID_OFFSET);
    }

    /** Sets the XID; called by the transport, which keeps XIDs of outstanding calls apart. */
    public void setXid(int xid) {
        message.setInt(XID_OFFSET, xid);
    }

    /**
     * Offers memory for the next DDP-eligible result, in the results' order. The result may be placed there by the
     * peer directly, from the buffer's position on and up to its limit; the decoder takes it with
     * {@code XdrReader.getDataInto(sink)}. The memory must not be touched until the call's future is complete.
     */
    public RpcCall expectData(ByteBuffer sink) {
        resultSinks.add(sink);
        return this;
    }

    /** Where DDP-eligible results may go, in the results' order. */
    public List<ByteBuffer> resultSinks() {
        return Collections.unmodifiableList(resultSinks);
    }

    /**
     * @param bytes the largest reply that may come, RPC header included, sinks' data not counted; 512 by default
     */
    public RpcCall maxReplySize(int bytes) {
        this.maxReplySize = bytes;
        return this;
    }

    public int maxReplySize() {
        return maxReplySize;
    }

    /**
     * How long the call may take in all, waiting for credits, reconnecting and retransmission included; but not the time
     * in which a service is missing on this host, which {@link ConnectOptions#serviceTimeout} bounds.
     */
    public RpcCall timeout(Duration limit) {
        this.timeout = limit;
        return this;
    }

    public Duration timeout() {
        return timeout;
    }
}
