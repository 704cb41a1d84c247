package io.verbena.verbs.iwarp.internal.connection;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.HEX;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.readRequest;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.tagged;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.iwarp.internal.provider.RawPeer;
import io.verbena.verbs.iwarp.internal.provider.RawPeerFixture;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The responder's side of the MPA handshake, octet by octet. */
class MpaHandshakeTest extends RawPeerFixture {
    private static final String REQUEST = "4d504120494420526571204672616d65";
    private static final String REPLY = "4d504120494420526570204672616d65";
    private static final int PENDING = 4;

    @Override
    public IwarpSettings settings() {
        IwarpSettings d = IwarpSettings.DEFAULT;
        return d.withTimeouts(Duration.ofMillis(500), d.sendTimeout()).withPendingHandshakes(PENDING);
    }

    private RawPeer raw() throws Exception {
        return RawPeer.to(listener.localAddress());
    }

    @ParameterizedTest
    @CsvSource({
        // flags and revision, IRD and ORD of the request; the same of the reply. Ours are IRD 2, ORD 4
        "5002, 00100010, 5002, 00020004", // CRC
        "1002, 00100010, 5002, 00020004", // CRC is asked for by this end
        "5002, 00030001, 5002, 00010003", // the smaller wins
        "5002, 3fff3fff, 5002, 00020004", // not negotiated
        "5002, 00000000, 5002, 00000000",
        "5001, '', 4001, ''", // revision 1: what is the enhanced flag now was reserved
        "4001, '', 4001, ''",
        "0001, '', 4001, ''",
        "4002, '', 4002, ''"
    })
    void shouldAccept(String flags, String reads, String replyFlags, String replyReads) throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + flags + lengthOf(reads) + reads));
            String expected = REPLY + replyFlags + lengthOf(replyReads) + replyReads;
            assertThat(HEX.formatHex(peer.receive(expected.length() / 2))).isEqualTo(expected);
            RdmaPeer.await(accepted);
            postReceive(10);
            peer.sendMessage(new byte[10]);
            assertThat(server.nextSuccess().length()).isEqualTo(10);
        }
    }

    private static String lengthOf(String hex) {
        return String.format("%04x", hex.length() / 2);
    }

    @Test
    void shouldRejectPeerToPeerWithoutAWayToGetReady() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "50020004" + "80100010"));
            assertThat(HEX.formatHex(peer.receive(24))).startsWith(REPLY + "7002");
            peer.expectEnd();
        }
    }

    @Test
    void shouldGetReadyByAnEmptyWrite() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "50020004" + "80108010"));
            assertThat(HEX.formatHex(peer.receive(24))).isEqualTo(REPLY + "50020004" + "80028004");
            assertThat(accepted).isNotDone();
            peer.sendFpdu(tagged(0, true, 0, 0, new byte[0]));
            RdmaPeer.await(accepted);
        }
    }

    @Test
    void shouldNotWaitForASilentPeerWhenTheListenerCloses() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "50020004" + "80108010"));
            peer.receive(24);
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (!server.connection().isConnected() && System.nanoTime() < deadline) {
                Thread.onSpinWait(); // for it to wait for us
            }
            listener.close();
            assertThatThrownBy(() -> RdmaPeer.await(accepted))
                    .hasStackTraceContaining("RdmaException")
                    .hasStackTraceContaining("the connection ended before the peer was ready");
            peer.expectEnd();
        }
    }

    @Test
    void shouldGetReadyByAnEmptyRead() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "50020004" + "80104010"));
            assertThat(HEX.formatHex(peer.receive(24))).isEqualTo(REPLY + "50020004" + "80024004");
            peer.sendFpdu(readRequest(1, 5, 6, 0, 0, 0));
            assertThat(peer.receiveUlpdu()).isEqualTo(tagged(2, true, 5, 6, new byte[0]));
            RdmaPeer.await(accepted);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGetReadyByAnEmptySend(boolean emptyFpdu) throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "50020004" + "c0100010"));
            assertThat(HEX.formatHex(peer.receive(24))).isEqualTo(REPLY + "50020004" + "c0020004");
            peer.sendFpdu(emptyFpdu ? new byte[0] : untagged(3, true, 0, 1, 0, new byte[0]));
            RdmaPeer.await(accepted);
            postReceive(5);
            peer.sendFpdu(untagged(3, true, 0, emptyFpdu ? 1 : 2, 0, new byte[5]));
            assertThat(server.nextSuccess().length()).isEqualTo(5);
        }
    }

    @Test
    void shouldNotSendBeforeTheInitiatorDid() throws Exception {
        try (RawPeer peer = connect()) {
            server.connection()
                    .postSend(1, server.connection().register(ByteBuffer.allocate(3), Access.LOCAL), 0, 3, 0);
            assertThat(server.hasNext()).isFalse();
            peer.sendFpdu(tagged(0, true, 0, 0, new byte[0]));
            assertThat(peer.receiveUlpdu()).isEqualTo(untagged(3, true, 0, 1, 0, new byte[3]));
            assertThat(server.nextSuccess().id()).isEqualTo(1);
        }
    }

    @Test
    void shouldUseNoCrcWhereNeitherEndAsks() throws Exception {
        listener.close();
        try (RdmaListener plain = provider.listen(listener.localAddress(), Map.of("crc", "off"), request -> {
                    try {
                        server.use(request.open(OPTIONS, server));
                        server.connection().accept(NOTHING, TIMEOUT);
                        accepted.complete(server.connection());
                    } catch (RdmaException e) {
                        accepted.completeExceptionally(e);
                    }
                });
                RawPeer peer = RawPeer.to(plain.localAddress()).withoutCrc()) {
            peer.send(HEX.parseHex(REQUEST + "10020004" + "00100010"));
            assertThat(HEX.formatHex(peer.receive(24))).isEqualTo(REPLY + "10020004" + "00020004");
            RdmaPeer.await(accepted);
            assertThat(server.connection().settings()).containsEntry("crc", "off");
            postReceive(5);
            peer.sendMessage(new byte[5]);
            assertThat(server.nextSuccess().length()).isEqualTo(5);
        }
    }

    @Test
    void shouldRejectMarkers() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(REQUEST + "d0020004" + "00100010"));
            assertThat(HEX.formatHex(peer.receive(20))).isEqualTo(REPLY + "70020004");
            peer.receive(4);
            peer.expectEnd();
        }
        assertThat(accepted).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "474554202f20485454502f312e310d0a0d0a0d0a", // another protocol
                REPLY + "50020004" + "00100010", // a reply
                REQUEST + "50030004" + "00100010", // a revision that is not known
                REQUEST + "50000004" + "00100010",
                REQUEST + "50020201", // too much private data
                REQUEST + "50020003" + "001000", // no room for IRD and ORD
            })
    void shouldCloseOnWhatIsNoRequest(String bytes) throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(HEX.parseHex(bytes));
            peer.expectEnd();
        }
        assertThat(accepted).isNotDone();
    }

    @Test
    void shouldNotBeHeldUpByPeersThatSayNothing() throws Exception {
        List<RawPeer> silent = new ArrayList<>();
        try {
            for (int i = 0; i < PENDING - 1; i++) {
                silent.add(raw());
                silent.get(i).send(HEX.parseHex(REQUEST.substring(0, 8)));
            }
            RawPeer connected = connect();
            assertThat(server.connection().isConnected()).isTrue();
            for (RawPeer peer : silent) {
                peer.expectEnd();
            }
            connected.close();
        } finally {
            for (RawPeer peer : silent) {
                peer.close();
            }
        }
    }

    @Test
    void shouldDropPendingHandshakesWhenItCloses() throws Exception {
        try (RawPeer peer = raw()) {
            peer.send(new byte[1]);
            listener.close();
            peer.expectEnd();
        }
    }
}
