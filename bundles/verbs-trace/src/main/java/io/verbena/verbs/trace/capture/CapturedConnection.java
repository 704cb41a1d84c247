package io.verbena.verbs.trace.capture;

import java.net.InetSocketAddress;

/**
 * One direction of an iWARP connection in a capture.
 *
 * @param number the number of the connection from 0 on, the same for both directions; a later connection between the
 *     same ports has another number
 */
public record CapturedConnection(int number, InetSocketAddress source, InetSocketAddress destination) {
    /** The address of an end as text: {@code 192.0.2.1:20049} or {@code [2001:db8::1]:20049}. */
    public static String text(InetSocketAddress end) {
        String host = end.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + end.getPort();
    }
}
