package io.verbena.verbs.iwarp.internal.provider;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.tagged;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Peers that take no octets, and peers that are gone without closing the connection. */
class SilentPeerTest extends RawPeerFixture {
    private static final int MIB = 1 << 20;

    @Override
    public IwarpSettings settings() {
        IwarpSettings d = IwarpSettings.DEFAULT;
        return d.withTimeouts(d.handshakeTimeout(), Duration.ofMillis(300));
    }

    @Test
    void shouldEndConnectionWhosePeerTakesNothing() throws Exception {
        try (RawPeer peer = connect()) {
            peer.sendFpdu(tagged(0, true, 0, 0, new byte[0])); // lets the server send
            MemoryRegion region = register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_WRITE);
            for (int i = 0; i < 15; i++) { // more than any socket holds
                server.connection().postWrite(i, region, 0, MIB, 1, 0, 0);
            }
            RdmaException cause = server.awaitDisconnected();
            assertThat(cause.kind()).isEqualTo(RdmaException.Kind.TIMED_OUT);
            assertThat(cause).hasMessageContaining("has taken nothing").hasMessageContaining("300 ms");
            assertThat(region.isValid()).isFalse(); // no peer reaches it
        }
    }

    @Test
    void shouldSendAllToPeerThatTakesItInTheEnd() throws Exception {
        try (RawPeer peer = connect()) {
            peer.sendFpdu(tagged(0, true, 0, 0, new byte[0]));
            MemoryRegion region = register(ByteBuffer.allocateDirect(MIB), Access.LOCAL);
            for (int i = 0; i < 15; i++) {
                server.connection().postWrite(i, region, 0, MIB, 1, 0, 0);
            }
            for (int octets = 0; octets < 15 * MIB; ) {
                octets += peer.receiveUlpdu().length - 14;
            }
            for (int i = 0; i < 15; i++) {
                assertThat(server.nextSuccess().id()).isEqualTo(i);
            }
            assertThat(server.connection().isConnected()).isTrue();
        }
    }

    private static Map<String, Object> keepAliveOf(IwarpSettings settings) throws Exception {
        Map<String, Object> found = new HashMap<>();
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            TimedChannel timed =
                    new TimedChannel(new SystemRuntime(), SocketChannel.open(server.getLocalAddress()), settings);
            found.put("on", timed.channel().getOption(StandardSocketOptions.SO_KEEPALIVE));
            for (SocketOption<?> option : timed.channel().supportedOptions()) {
                if (option.name().startsWith("TCP_KEEP")) {
                    found.put(option.name(), timed.channel().getOption(option));
                }
            }
            timed.close();
        }
        return found;
    }

    @Test
    void shouldHaveTcpProbeSilentPeers() throws Exception {
        Map<String, Object> found = keepAliveOf(IwarpSettings.DEFAULT);
        assertThat(found).containsEntry("on", true);
        if (found.containsKey("TCP_KEEPIDLE")) { // not every system lets it be set
            assertThat(found)
                    .containsEntry("TCP_KEEPIDLE", 60)
                    .containsEntry("TCP_KEEPINTERVAL", 10)
                    .containsEntry("TCP_KEEPCOUNT", 6);
        }
    }

    @Test
    void shouldNotProbeWhereItIsSwitchedOff() throws Exception {
        IwarpSettings d = IwarpSettings.DEFAULT;
        assertThat(keepAliveOf(new IwarpSettings(
                        d.defaults(), d.handshakeTimeout(), 1, d.sendTimeout(), Duration.ZERO, 0, 0, 0)))
                .containsEntry("on", false);
    }
}
