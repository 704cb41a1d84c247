package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One end of a reliable connection (a queue pair with its connection manager id), with a protection domain of its own.
 * Any thread may post and register; posts of one thread are executed in their order. A post never waits for the peer:
 * it is sent at once where that is possible, otherwise later by the provider's own thread.
 *
 * <p>A post names local memory by a region of this connection, an offset and a length. The memory must not change until
 * the work request is complete. A refused post throws, and has no completion.
 */
@ProviderType
public interface RdmaConnection extends AutoCloseable {
    /** Post flag: no completion when the work request succeeds. A failed work request has a completion in any case. */
    int UNSIGNALED = 1;

    /** Post flag of a send: asks the peer to wake its receiver (Send with Solicited Event). */
    int SOLICITED = 2;

    /**
     * Post flag: another post of this thread follows at once, so this one need not be sent alone. If the other post is
     * refused, this one is sent all the same.
     */
    int MORE = 4;

    /** The local address; null where it is not known before connecting. */
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /**
     * Connects an end created by {@link RdmaProvider#open}. Blocks.
     *
     * @param privateData for the peer, at most {@link #maxPrivateData} octets
     * @return the peer's private data without the provider's own parts. Zeros follow it where the transport pads it to
     *     a fixed size, as the connection manager of InfiniBand and RoCE does
     * @throws RdmaException with {@code TIMED_OUT}, {@code REFUSED} (nobody listens), {@code REJECTED} (with the peer's
     *     private data), {@code PROTOCOL} (the answering program does not speak the protocol), or {@code DISCONNECTED}
     *     (this end has ended, before this call or during it)
     * @throws IllegalStateException the second time
     */
    byte[] connect(byte[] privateData, Duration timeout) throws RdmaException;

    /**
     * Accepts the connection of an end created by {@link ConnectionRequest#open}. Blocks until the connection is ready
     * to send.
     *
     * @param privateData for the peer, at most {@link #maxPrivateData} octets
     * @throws RdmaException as for {@link #connect}
     * @throws IllegalStateException the second time
     */
    void accept(byte[] privateData, Duration timeout) throws RdmaException;

    /** The most octets of private data that an end may send. */
    int maxPrivateData();

    /**
     * The negotiated settings, for people to read: {@code device}, {@code ird}, {@code ord}, {@code crc}, {@code mtu}
     * and others.
     */
    Map<String, String> settings();

    /**
     * Registers memory with this connection. Memory is opened to the peer when the connection is established; before
     * that a provider may refuse remote access. A peer that learns of the memory by a message posted on this connection
     * after this call can reach the memory. A peer that learns of it in another way may access it too early.
     *
     * @param memory at most {@link #maxBuffers} buffers; their octets from position to limit form one region in this
     *     order. A provider may require direct buffers; see {@link #requiresDirectMemory}
     * @param access the access of the peer, the least that suffices. Local posts may use the memory with any access,
     *     and write to it unless its buffer is read-only
     * @throws RdmaException with {@code DISCONNECTED}, or {@code RESOURCES} where the device takes no more
     * @throws IllegalArgumentException for more buffers than the provider accepts, or for buffers that it does not
     *     accept
     */
    MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException;

    /** Registers one buffer. */
    default MemoryRegion register(ByteBuffer memory, Access access) throws RdmaException {
        return register(List.of(memory), access);
    }

    /**
     * As {@link #register(ByteBuffer, Access)}, and tells that a post follows soon.
     *
     * @param flags 0, or {@link #MORE}: no peer uses the memory before it has a message that is posted after this call.
     *     The provider may open the memory together with the next post, which saves the device a notice
     */
    default MemoryRegion register(ByteBuffer memory, Access access, int flags) throws RdmaException {
        return register(memory, access);
    }

    /** Whether registered memory has to be in direct buffers. */
    boolean requiresDirectMemory();

    /** The most buffers of one region; at least 1. */
    int maxBuffers();

    /**
     * Whether Send with Invalidate works in both directions on this connection: the peer can invalidate regions of this
     * end, and this end can send it (RFC 8797 section 4.1).
     */
    boolean remoteInvalidation();

    /** The number of valid steering tags, that is, of regions that the peer can reach. */
    int remoteRegions();

    /**
     * Posts memory for one message of the peer. Callers should post receives before connecting: a message without a
     * posted receive ends the connection.
     */
    void postReceive(long id, MemoryRegion region, long offset, int length) throws RdmaException;

    /** Sends a message. {@code flags}: {@link #UNSIGNALED}, {@link #SOLICITED}, {@link #MORE}. */
    void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException;

    /** Sends a message that invalidates a steering tag of the peer. Flags as for {@link #postSend}. */
    void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException;

    /**
     * Writes to the peer's memory. Messages sent later arrive later. {@code flags}: {@link #UNSIGNALED}, {@link #MORE}.
     */
    void postWrite(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException;

    /**
     * Reads from the peer's memory into local memory. {@code flags}: {@link #UNSIGNALED}, {@link #MORE}.
     *
     * @throws RdmaException with {@code RESOURCES} also where the peer allows no reads (its IRD is 0)
     */
    void postRead(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException;

    /** Whether the connection is established and has not ended. */
    boolean isConnected();

    /**
     * Ends the connection. Posted work requests are executed if that can be done promptly, the others are flushed, and
     * every region becomes invalid. Returns after {@link ConnectionHandler#onDisconnected} has returned and all
     * resources of the connection are free. A call from the handler itself returns at once, and the connection ends
     * later. Without effect the second time.
     */
    @Override
    void close();
}
