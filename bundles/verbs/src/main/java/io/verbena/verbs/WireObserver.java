package io.verbena.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Told of all that connections carry; a service, of which every {@link RdmaProvider} finds those that there are. A
 * provider that sees the octets on the wire tells of frames, another of messages; what only a device knows, as the RDMA
 * operations of a peer on our memory, nobody is told of.
 *
 * <p>Called on the threads that carry the data, of several connections at once, for one direction of one connection one
 * at a time and in order. It must not block, nor post, nor throw: an observer that throws is told of nothing more. What
 * was sent is told before it can have been answered; it may then not go out after all if the connection ends.
 */
@ConsumerType
public interface WireObserver {
    /**
     * One whole frame of iWARP's MPA (RFC 5044): a request, a reply, or an FPDU.
     *
     * @param sent whether by this end
     * @param frame its octets, one buffer after the other from position to limit, for the time of the call; their
     *     positions may be changed
     */
    void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame);

    /**
     * One message of a provider without frames.
     *
     * @param sent whether by this end
     * @param data what it carries, from position to limit, for the time of the call; the position may be changed
     */
    void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data);

    /** The connection has ended: the last call for it. */
    void onEnd(WireConnection connection);
}
