package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import java.nio.ByteBuffer;

/**
 * What an observer was told, with the octets copied.
 *
 * @param nanos since 1970
 * @param message what the octets are; null for a whole frame
 * @param octets null at the connection's end
 * @param lost the octets in that direction that were dropped before this one
 */
record Event(WireConnection connection, long nanos, boolean sent, WireMessage message, ByteBuffer octets, long lost) {}
