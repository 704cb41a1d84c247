package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;

/**
 * The TCP segment of a packet.
 *
 * @param payload the captured payload
 * @param packet the packet of the segment
 */
record TcpSegment(Flow flow, int sequence, boolean syn, boolean ack, ByteBuffer payload, CapturedPacket packet) {}
