package io.verbena.verbs.iwarp.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** The send buffers of sockets. */
final class SendBufferTest {
    private static final int KEPT_BY_LINUX = 2; // Linux doubles what it is asked for

    @Test
    void shouldBeShortWhereAPeerOfThisHostHasConnected() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            TimedChannel accepted = new TimedChannel(new SystemRuntime(), server.accept(), IwarpSettings.DEFAULT);

            int octets = accepted.channel().getOption(StandardSocketOptions.SO_SNDBUF);

            accepted.close();
            client.close();
            assertThat(octets)
                    .isBetween(
                            TimedChannel.SAME_HOST_SEND_BUFFER / 2, TimedChannel.SAME_HOST_SEND_BUFFER * KEPT_BY_LINUX);
        }
    }

    @Test
    void shouldBeTheSystemsForAConnectionThatThisEndMakes() throws IOException {
        SocketChannel untouched = SocketChannel.open();
        int usual = untouched.getOption(StandardSocketOptions.SO_SNDBUF);
        untouched.close();
        TimedChannel connecting = new TimedChannel(new SystemRuntime(), SocketChannel.open(), IwarpSettings.DEFAULT);

        int octets = connecting.channel().getOption(StandardSocketOptions.SO_SNDBUF);

        connecting.close();
        assertThat(octets).isEqualTo(usual);
    }
}
