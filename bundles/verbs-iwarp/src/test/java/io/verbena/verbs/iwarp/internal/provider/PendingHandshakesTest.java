package io.verbena.verbs.iwarp.internal.provider;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.HEX;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More handshakes at once than a listener admits. */
class PendingHandshakesTest extends RawPeerFixture {
    private static final int PENDING = 4;

    @Override
    public IwarpSettings settings() {
        IwarpSettings d = IwarpSettings.DEFAULT;
        return d.withTimeouts(Duration.ofMinutes(10), d.sendTimeout()).withPendingHandshakes(PENDING);
    }

    @Test
    void shouldLetNewcomersInForPeersThatSayNothing() throws Exception {
        List<RawPeer> silent = new ArrayList<>();
        try {
            for (int i = 0; i < PENDING; i++) {
                silent.add(RawPeer.to(listener.localAddress()));
                silent.get(i).send(HEX.parseHex("4d504120")); // the beginning of a request
            }
            try (RawPeer peer = connect()) {
                assertThat(server.connection().isConnected()).isTrue();
                silent.get(0).expectEnd();
                for (int i = 0; i < 5 * PENDING; i++) {
                    silent.add(RawPeer.to(listener.localAddress()));
                }
                for (int i = 0; i < 5 * PENDING; i++) {
                    silent.get(i).expectEnd();
                }
                postReceive(5);
                peer.sendMessage(new byte[5]);
                assertThat(server.nextSuccess().length()).isEqualTo(5);
            }
        } finally {
            for (RawPeer peer : silent) {
                peer.close();
            }
        }
    }

    @Test
    void shouldEndHandshakesWithTheListener() throws Exception {
        try (RawPeer silent = RawPeer.to(listener.localAddress());
                RawPeer connected = connect()) {
            listener.close();
            silent.expectEnd();
            postReceive(5);
            connected.sendMessage(new byte[5]);
            assertThat(server.nextSuccess().length()).isEqualTo(5);
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("iwarp-handshake-"));
        }
    }
}
