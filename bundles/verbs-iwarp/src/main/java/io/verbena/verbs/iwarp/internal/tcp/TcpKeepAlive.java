package io.verbena.verbs.iwarp.internal.tcp;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * TCP keep-alive: ends an idle connection whose peer is gone without closing it, as when its host or the network has
 * failed. Octets that are sent and not acknowledged are bounded by TCP's retransmission instead.
 */
final class TcpKeepAlive {
    private static final int PROBES = 6;

    private TcpKeepAlive() {}

    /**
     * Sets the keep-alive times of a connection.
     *
     * @param silence the time without traffic after which probes are sent; a peer that answers none for as long again
     *     is gone. Zero: no probes are sent
     */
    static void set(SocketChannel channel, Duration silence) throws IOException {
        int seconds = (int) silence.toSeconds();
        if (seconds == 0) {
            return;
        }
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        // looked up by name, since a framework need not export jdk.net; else the system's times stay as they are
        for (SocketOption<?> option : channel.supportedOptions()) {
            switch (option.name()) {
                case "TCP_KEEPIDLE" -> set(channel, option, seconds);
                case "TCP_KEEPINTERVAL" -> set(channel, option, Math.max(1, seconds / PROBES));
                case "TCP_KEEPCOUNT" -> set(channel, option, PROBES);
                default -> {}
            }
        }
    }

    private static void set(SocketChannel channel, SocketOption<?> option, int value) throws IOException {
        if (option.type() == Integer.class) {
            @SuppressWarnings("unchecked") // as its type says
            SocketOption<Integer> number = (SocketOption<Integer>) option;
            channel.setOption(number, value);
        }
    }
}
