package io.verbena.rpc;

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
        message.reset();
        message.putInt(0).putInt(RpcMessages.CALL).putInt(RpcMessages.RPC_VERSION);
        message.putInt(program).putInt(version).putInt(procedure);
        credential.encode(message);
        Credential.none().encode(message); // the verifier
    }

    /** The writer of the call's arguments. Its position is behind the RPC header. */
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

    /** The XID that the transport set last, or 0. */
    public int xid() {
        return message.getInt(XID_OFFSET);
    }

    /** Sets the XID. The transport calls this, and gives outstanding calls different XIDs. */
    public void setXid(int xid) {
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

    /** The buffers for DDP-eligible results, in the order of the results. */
    public List<ByteBuffer> resultSinks() {
        return Collections.unmodifiableList(resultSinks);
    }

    /**
     * @param bytes the size of the largest reply with its RPC header, without the data of the sinks; 512 by default
     */
    public RpcCall maxReplySize(int bytes) {
        this.maxReplySize = bytes;
        return this;
    }

    public int maxReplySize() {
        return maxReplySize;
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
