package io.verbena.verbs.trace.capture;

import java.net.InetSocketAddress;

/**
 * One direction of an iWARP connection in a capture.
 *
 * @param number of the connection, from 0 on, the same for both directions; ports that are used again make another one
 */
public record CapturedConnection(int number, InetSocketAddress source, InetSocketAddress destination) {}
