package io.verbena.verbs.trace.capture;

import java.net.InetSocketAddress;

/**
 * One direction of an iWARP connection in a capture.
 *
 * @param number of the connection, from 0 on, the same for both directions; ports that are used again make another one
 */
public record CapturedConnection(int number, InetSocketAddress source, InetSocketAddress destination) {
    /** An end of it as people write it: {@code 192.0.2.1:20049} or {@code [2001:db8::1]:20049}. */
    public static String text(InetSocketAddress end) {
        String host = end.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + end.getPort();
    }
}
