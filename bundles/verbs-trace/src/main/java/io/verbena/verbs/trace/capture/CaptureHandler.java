package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.osgi.annotation.versioning.ConsumerType;

/** Told of what iWARP connections in a capture carry, in each direction in order. */
@ConsumerType
public interface CaptureHandler {
    /**
     * A frame of MPA: the request, the reply, or an FPDU with its length, padding and CRC.
     *
     * @param octets good until this returns
     * @param packet the number of the packet that held the last of them
     */
    default void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {}

    /**
     * The message of a Send of any kind, put together where it came in several segments.
     *
     * @param message good until this returns
     * @param invalidated the steering tag of a Send with Invalidate, else null
     * @param packet as above
     */
    default void onSend(
            CapturedConnection connection, ByteBuffer message, Integer invalidated, long packet, Instant time) {}

    /** Something that could not be read, in one line. What follows is read as far as that can be done. */
    default void onProblem(String problem) {}
}
