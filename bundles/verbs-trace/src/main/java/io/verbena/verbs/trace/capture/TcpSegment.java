package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;

/**
 * What a packet says of a TCP connection.
 *
 * @param payload as much of it as was captured
 * @param packet in which it came
 */
record TcpSegment(Flow flow, int sequence, boolean syn, boolean ack, ByteBuffer payload, CapturedPacket packet) {}
