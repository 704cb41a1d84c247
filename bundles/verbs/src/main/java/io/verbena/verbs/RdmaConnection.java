package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One end of a reliable connection (a queue pair with its connection manager id), with a protection domain of its own.
 * Posting and registering may be done from any thread; posts of one thread are executed in its order. A post never
 * waits for the peer: it goes out at once where that is possible and from the provider's own thread where not.
 *
 * <p>Local memory is named by a region of this connection, an offset and a length; it must not change until the
 * request is complete. A post that is refused throws and has no completion.
 */
@ProviderType
public interface RdmaConnection extends AutoCloseable {
    /** Post flag: no completion is wanted when the request succeeds (a failed one completes all the same). */
    int UNSIGNALED = 1;

    /** Post flag of a send: the peer is asked to wake its receiver (Send with Solicited Event). */
    int SOLICITED = 2;

    /**
     * Post flag: another post of this thread follows at once, so this one need not go out alone. Where the other is
     * refused this one goes out all the same.
     */
    int MORE = 4;

    /** The local address, null before connecting where it is not known. */
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /**
     * Connects an end made by {@link RdmaProvider#open}. Blocks.
     *
     * @param privateData for the peer, at most {@link #maxPrivateData} octets
     * @return the peer's private data, the provider's own parts taken off; with zeros behind it where the transport
     *     fills it up to a fixed size, as InfiniBand's and RoCE's connection manager does
     * @throws RdmaException with {@code TIMED_OUT}, {@code REFUSED} (nobody listens), {@code REJECTED} (with the
     *     peer's private data), {@code PROTOCOL} (what answers does not speak the protocol), or {@code DISCONNECTED}
     *     (this end has ended, before this call or during it)
     * @throws IllegalStateException the second time
     */
    byte[] connect(byte[] privateData, Duration timeout) throws RdmaException;

    /**
     * Accepts an end made by {@link ConnectionRequest#open}. Blocks until the connection is ready to send.
     *
     * @param privateData for the peer, at most {@link #maxPrivateData} octets
     * @throws RdmaException as for {@link #connect}
     * @throws IllegalStateException the second time
     */
    void accept(byte[] privateData, Duration timeout) throws RdmaException;

    /** The most octets of private data that an end may send. */
    int maxPrivateData();

    /**
     * What was negotiated, for people to read: {@code device}, {@code ird}, {@code ord}, {@code crc}, {@code mtu} and
     * the like.
     */
    Map<String, String> settings();

    /**
     * Registers memory with this connection. Memory is opened to the peer once the connection stands; a provider may
     * refuse that before. A peer that learns of the memory by a message on this connection, posted after this call, can
     * reach it; one that learns of it otherwise may come too early.
     *
     * @param memory the buffers' octets from position to limit, which make one region in that order; at most
     *     {@link #maxBuffers} of them. A provider may insist on direct buffers; see {@link #requiresDirectMemory}
     * @param access the peer's, the least that serves; local posts may use the memory whatever it is, and write to it
     *     unless its buffer is read-only
     * @throws RdmaException with {@code DISCONNECTED}, or {@code RESOURCES} where the device takes no more
     * @throws IllegalArgumentException for more buffers, or others, than the provider takes
     */
    MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException;

    /** Registers one buffer. */
    default MemoryRegion register(ByteBuffer memory, Access access) throws RdmaException {
        return register(List.of(memory), access);
    }

    /** Whether memory to register has to be in direct buffers. */
    boolean requiresDirectMemory();

    /** The most buffers that one region may be made of; at least 1. */
    int maxBuffers();

    /**
     * Whether both directions of Send with Invalidate work on this connection: the peer can invalidate regions of ours
     * by it, and we can send it (RFC 8797 section 4.1).
     */
    boolean remoteInvalidation();

    /** The steering tags that are valid now: memory that the peer can reach. */
    int remoteRegions();

    /**
     * Posts memory for one message of the peer's. May be called before connecting, and should be: a message for which
     * nothing is posted ends the connection.
     */
    void postReceive(long id, MemoryRegion region, long offset, int length) throws RdmaException;

    /** Sends a message. {@code flags}: {@link #UNSIGNALED}, {@link #SOLICITED}, {@link #MORE}. */
    void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException;

    /** Sends a message that invalidates a steering tag of the peer's. Flags as for {@link #postSend}. */
    void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException;

    /**
     * Writes to the peer's memory. What is sent after it arrives after it. {@code flags}: {@link #UNSIGNALED},
     * {@link #MORE}.
     */
    void postWrite(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException;

    /**
     * Reads from the peer's memory into ours. {@code flags}: {@link #UNSIGNALED}, {@link #MORE}.
     *
     * @throws RdmaException with {@code RESOURCES} where the peer allows no reads at all (its IRD is 0), too
     */
    void postRead(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException;

    /** Whether the connection stands: connected and not yet ended. */
    boolean isConnected();

    /**
     * Ends the connection: what was posted before is sent if that can be done promptly, the rest is flushed, every
     * region becomes invalid. Returns when {@link ConnectionHandler#onDisconnected} has returned and nothing of the
     * connection is left; at once when called from the handler itself, the end then follows. Without effect the second
     * time.
     */
    @Override
    void close();
}
