package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import java.nio.ByteBuffer;

/**
 * An event of an observer, with a copy of the octets.
 *
 * @param nanos the time in nanoseconds since 1970
 * @param message the description of the octets; null for a whole frame
 * @param octets the octets; null at the connection's end
 * @param lost the octets of this direction that were dropped before this event
 */
record Event(WireConnection connection, long nanos, boolean sent, WireMessage message, ByteBuffer octets, long lost) {}
