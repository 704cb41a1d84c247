package io.verbena.verbs.trace.capture;

import java.net.InetSocketAddress;

/** One direction of a TCP connection. */
record Flow(InetSocketAddress source, InetSocketAddress destination) {
    Flow reversed() {
        return new Flow(destination, source);
    }
}
