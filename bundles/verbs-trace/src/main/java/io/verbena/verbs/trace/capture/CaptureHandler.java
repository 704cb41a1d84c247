package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.osgi.annotation.versioning.ConsumerType;

/** Receives the traffic of iWARP connections in a capture, in order for each direction. */
@ConsumerType
public interface CaptureHandler {
    /**
     * A frame of MPA: the request, the reply, or an FPDU with its length, padding and CRC.
     *
     * @param octets valid during the call
     * @param packet the number of the packet that held the last octet
     */
    default void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {}

    /**
     * The message of a Send of any kind, reassembled from its segments.
     *
     * @param message valid during the call
     * @param invalidated the steering tag of a Send with Invalidate, else null
     * @param packet the number of the packet that held the last octet
     */
    default void onSend(
            CapturedConnection connection, ByteBuffer message, Integer invalidated, long packet, Instant time) {}

    /** A problem of the capture, in one line. The reader continues as far as it can. */
    default void onProblem(String problem) {}
}
