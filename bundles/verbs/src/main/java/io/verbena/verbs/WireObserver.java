package io.verbena.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives everything that connections carry. Observers are services, which every {@link RdmaProvider} finds. A
 * provider that sees the octets on the wire reports frames, other providers report messages. Events that only a device
 * sees, such as a peer's RDMA operations on local memory, are not reported.
 *
 * <p>The threads that carry the data call the observer, for several connections at the same time. Calls for one
 * direction of one connection come one at a time and in order. An observer must not block, post or throw; an observer
 * that throws is removed. Sent data is reported before it can be answered; if the connection ends, it may not be sent
 * after all.
 */
@ConsumerType
public interface WireObserver {
    /**
     * One whole frame of iWARP's MPA (RFC 5044): a request, a reply, or an FPDU.
     *
     * @param sent whether by this end
     * @param frame the octets of the buffers from position to limit, valid during the call; the observer may change the
     *     positions
     */
    void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame);

    /**
     * One message of a provider without frames.
     *
     * @param sent whether by this end
     * @param data the data from position to limit, valid during the call; the observer may change the position
     */
    void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data);

    /** The connection has ended: the last call for it. */
    void onEnd(WireConnection connection);
}
