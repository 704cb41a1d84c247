package io.verbena.verbs.iwarp.internal.provider;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.HEX;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.readRequest;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.tagged;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The initiator's side against a raw responder: the handshake, getting ready, and reads. */
class InitiatorTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(RdmaPeer.BOUND_SECONDS);
    private static final String REQUEST = "4d504120494420526571204672616d65";
    private static final String REPLY = "4d504120494420526570204672616d65";
    private static final byte[] NO_DATA = {};

    private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
    private final RdmaPeer client = new RdmaPeer();
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        provider.deactivate();
        server.close();
    }

    private CompletableFuture<byte[]> connecting(Map<String, String> options, byte[] privateData, Duration timeout)
            throws RdmaException {
        client.use(provider.open(
                (InetSocketAddress) server.getLocalSocketAddress(),
                new ConnectionOptions(8, 8, 3, 5, options),
                client,
                TIMEOUT));
        return CompletableFuture.supplyAsync(() -> {
            try {
                return client.connection().connect(privateData, timeout);
            } catch (RdmaException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private CompletableFuture<byte[]> connecting(Map<String, String> options) throws RdmaException {
        return connecting(options, NO_DATA, TIMEOUT);
    }

    private static void assertFails(CompletableFuture<byte[]> connecting, RdmaException.Kind kind) {
        assertThatThrownBy(connecting::join)
                .cause()
                .cause()
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    /** Connects with a zero-length Read, so that both ends are ready; IRD 5 and ORD 3 are ours. */
    private RawPeer connected() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        RawPeer peer = new RawPeer(server.accept()).ignoringEmptyWrites();
        peer.receive(24);
        peer.send(HEX.parseHex(REPLY + "50020004" + "80024005"));
        assertThat(peer.receiveUlpdu()).isEqualTo(readRequest(1, 0, 0, 0, 0, 0));
        peer.sendFpdu(tagged(2, true, 0, 0, NO_DATA));
        connecting.join();
        return peer;
    }

    @ParameterizedTest
    @CsvSource({
        "read, on, 5002, 80054003",
        "write, on, 5002, 80058003",
        "send, on, 5002, c0050003",
        "none, on, 5002, 00050003",
        "none, off, 1002, 00050003"
    })
    void shouldAskForWhatItsOptionsSay(String rtr, String crc, String flags, String reads) throws Exception {
        CompletableFuture<byte[]> connecting =
                connecting(Map.of("rtr", rtr, "crc", crc), new byte[] {1, 2, 3}, TIMEOUT);
        try (RawPeer peer = new RawPeer(server.accept())) {
            String expected = REQUEST + flags + "0007" + reads + "010203";
            assertThat(HEX.formatHex(peer.receive(expected.length() / 2))).isEqualTo(expected);
            peer.send(HEX.parseHex(REPLY + flags + "0006" + "00000000" + "0405"));
            assertThat(connecting.join()).isEqualTo(new byte[] {4, 5});
            assertThat(client.connection().settings())
                    .containsEntry("rtr", "none")
                    .containsEntry("crc", crc);
        }
    }

    @Test
    void shouldTurnCrcOnWhenTheResponderAsks() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of("crc", "off"));
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + "00000000"));
            connecting.join();
            assertThat(client.connection().settings()).containsEntry("crc", "on");
        }
    }

    @Test
    void shouldRefuseReadsThatThePeerWillNeverAnswer() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + "00000005"));
            connecting.join();
            RdmaConnection connection = client.connection();
            assertThat(connection.settings()).containsEntry("ord", "0");
            MemoryRegion memory = connection.register(ByteBuffer.allocateDirect(8), Access.LOCAL);
            assertThatThrownBy(() -> connection.postRead(1, memory, 0, 8, 1, 0, 0))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.kind()).isEqualTo(RdmaException.Kind.RESOURCES));
            assertThat(connection.isConnected()).isTrue();
        }
    }

    @Test
    void shouldTakeAReplyOfRevisionOne() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of("settle", "0"));
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "40010003" + "010203"));
            assertThat(connecting.join()).isEqualTo(new byte[] {1, 2, 3});
            assertThat(client.connection().settings())
                    .containsEntry("revision", "1")
                    .containsEntry("ord", "3")
                    .containsEntry("ird", "5");
        }
    }

    @Test
    void shouldConnectOnceTheEmptyReadIsAnswered() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + "80024005"));
            assertThat(peer.receiveUlpdu()).isEqualTo(readRequest(1, 0, 0, 0, 0, 0));
            // no answer: an empty Write follows, in case the responder did not listen yet
            assertThat(peer.receiveUlpdu()).isEqualTo(tagged(0, true, 0, 0, NO_DATA));
            assertThat(connecting).isNotDone();
            peer.sendFpdu(tagged(2, true, 0, 0, NO_DATA));
            connecting.join();
            assertThat(client.connection().settings())
                    .containsEntry("ord", "2")
                    .containsEntry("ird", "5")
                    .containsEntry("rtr", "read");
        }
    }

    @ParameterizedTest
    @CsvSource({"write, 80058003", "send, c0050003"})
    void shouldGetReadyByWhatWasAgreed(String rtr, String reads) throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of("rtr", rtr, "settle", "0"));
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + reads));
            byte[] expected =
                    rtr.equals("write") ? tagged(0, true, 0, 0, NO_DATA) : untagged(3, true, 0, 1, 0, NO_DATA);
            assertThat(peer.receiveUlpdu()).isEqualTo(expected);
            connecting.join();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "485454502f312e3120343030204261642052657175657374", // another protocol
                REQUEST + "50020004" + "00000000", // a request
                REPLY + "50030004" + "00000000", // a revision that is not known
                REPLY + "d0020004" + "00000000", // markers
                REPLY + "50020004" + "00000006", // more reads than were offered
                REPLY + "50020004" + "80008000", // a way to get ready that was not offered
                REPLY + "50020004" + "80004000", // by a read, and none allowed
                REPLY + "50020201", // too much private data
            })
    void shouldNotConnectOnABadReply(String reply) throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(reply));
            assertFails(connecting, RdmaException.Kind.PROTOCOL);
            peer.expectEnd();
        }
    }

    @Test
    void shouldTellWhenThePeerClosesInsteadOfReplying() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        server.accept().close();
        assertFails(connecting, RdmaException.Kind.PROTOCOL);
    }

    @Test
    void shouldTimeOutWithoutAReply() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of(), NO_DATA, Duration.ofMillis(200));
        try (RawPeer peer = new RawPeer(server.accept())) {
            assertFails(connecting, RdmaException.Kind.TIMED_OUT);
            peer.receive(24);
            peer.expectEnd();
        }
    }

    @Test
    void shouldTimeOutWhenTheEmptyReadIsNotAnswered() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of(), NO_DATA, Duration.ofMillis(300));
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + "80024005"));
            assertFails(connecting, RdmaException.Kind.TIMED_OUT);
        }
    }

    @Test
    void shouldTellWhenThePeerClosesBeforeItIsReady() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            peer.send(HEX.parseHex(REPLY + "50020004" + "80024005"));
            peer.receiveUlpdu();
        }
        assertFails(connecting, RdmaException.Kind.DISCONNECTED);
    }

    @Test
    void shouldComeBackWhenClosedWhileConnecting() throws Exception {
        CompletableFuture<byte[]> connecting = connecting(Map.of());
        try (RawPeer peer = new RawPeer(server.accept())) {
            peer.receive(24);
            client.connection().close();
            assertFails(connecting, RdmaException.Kind.DISCONNECTED);
        }
    }

    private ByteBuffer postRead(long id, int length) throws RdmaException {
        ByteBuffer target = ByteBuffer.allocateDirect(length);
        MemoryRegion region = client.connection().register(target, Access.LOCAL);
        client.connection().postRead(id, region, 0, length, 0x1111, 0x2222, 0);
        return target;
    }

    private static int sinkTag(byte[] request) {
        return ByteBuffer.wrap(request).getInt(18);
    }

    @Test
    void shouldReadInSegments() throws Exception {
        try (RawPeer peer = connected()) {
            ByteBuffer target = postRead(1, 10);
            byte[] request = peer.receiveUlpdu();
            assertThat(request).isEqualTo(readRequest(2, sinkTag(request), 0, 10, 0x1111, 0x2222));
            assertThat(sinkTag(request)).isNotZero();
            peer.sendFpdu(tagged(2, false, sinkTag(request), 0, new byte[] {1, 2, 3, 4}));
            peer.sendFpdu(tagged(2, true, sinkTag(request), 4, new byte[] {5, 6, 7, 8, 9, 10}));
            assertThat(client.nextSuccess().length()).isEqualTo(10);
            byte[] read = new byte[10];
            target.get(0, read);
            assertThat(read).isEqualTo(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        }
    }

    @Test
    void shouldKeepReadsWithinTheLimit() throws Exception {
        try (RawPeer peer = connected()) {
            for (int i = 0; i < 3; i++) {
                postRead(i, 4);
            }
            MemoryRegion message = client.connection().register(ByteBuffer.allocate(4), Access.LOCAL);
            client.connection().postSend(9, message, 0, 4, 0);
            byte[] first = peer.receiveUlpdu();
            byte[] second = peer.receiveUlpdu();
            // the third waits for the first response, and the send behind it waits too
            peer.sendFpdu(tagged(2, true, sinkTag(first), 0, new byte[4]));
            assertThat(peer.receiveUlpdu()[1]).isEqualTo((byte) 0x41);
            assertThat(peer.receiveUlpdu()[1]).isEqualTo((byte) 0x43);
            assertThat(client.nextSuccess().id()).isZero();
            assertThat(client.hasNext()).isFalse();
            peer.sendFpdu(tagged(2, true, sinkTag(second), 0, new byte[4]));
            assertThat(client.nextSuccess().id()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // tag added to, offset, length, last; the Terminate's control octets
        "1, 0, 10, true, 1100c000",
        "0, 1, 9, true, 1101c000",
        "0, 0, 9, true, 1101c000",
        "0, 0, 11, true, 1101c000",
        "0, 0, 10, false, 1101c000",
        "0, -1, 10, true, 1101c000"
    })
    void shouldTerminateOnAResponseThatDoesNotMatch(int tagDelta, long offset, int length, boolean last, String control)
            throws Exception {
        try (RawPeer peer = connected()) {
            ByteBuffer target = postRead(1, 10);
            int tag = sinkTag(peer.receiveUlpdu());
            byte[] payload = new byte[length];
            Arrays.fill(payload, (byte) 1);
            byte[] ulpdu = tagged(2, last, tag + tagDelta, offset, payload);
            peer.sendFpdu(ulpdu);
            peer.expectTerminate(control + String.format("%04x", ulpdu.length) + HEX.formatHex(ulpdu, 0, 14));
            assertThat(client.awaitDisconnected().kind()).isEqualTo(RdmaException.Kind.ACCESS);
            assertThat(client.next().status()).isEqualTo(Completion.Status.FLUSHED);
            for (int i = 0; i < 10; i++) {
                assertThat(target.get(i)).isZero();
            }
        }
    }

    @Test
    void shouldTerminateOnAWriteToTheSinkOfARead() throws Exception {
        try (RawPeer peer = connected()) {
            postRead(1, 10);
            byte[] ulpdu = tagged(0, true, sinkTag(peer.receiveUlpdu()), 0, new byte[10]);
            peer.sendFpdu(ulpdu);
            peer.expectTerminate("1100c000" + "0018" + HEX.formatHex(ulpdu, 0, 14));
            assertThat(client.next().status()).isEqualTo(Completion.Status.FLUSHED);
        }
    }

    @ParameterizedTest
    @CsvSource({"01, 00", "11, 00", "10, 00", "10, 01"})
    void shouldTellOfAReadThatIsRefused(String layerAndType, String code) throws Exception {
        try (RawPeer peer = connected()) {
            postRead(1, 10);
            postRead(2, 10);
            peer.receiveUlpdu();
            peer.sendFpdu(untagged(7, true, 2, 1, 0, HEX.parseHex(layerAndType + code + "0000")));
            assertThat(client.next().status()).isEqualTo(Completion.Status.REMOTE_ACCESS_ERROR);
            assertThat(client.next().status()).isEqualTo(Completion.Status.FLUSHED);
            assertThat(client.awaitDisconnected().kind()).isEqualTo(RdmaException.Kind.ACCESS);
        }
    }

    @Test
    @Proves("V1-4.2-1")
    void shouldSendWithTheOctetsThatTheProtocolWants() throws Exception {
        try (RawPeer peer = connected()) {
            MemoryRegion message = client.connection().register(ByteBuffer.wrap(new byte[] {1, 2, 3}), Access.LOCAL);
            client.connection().postSend(1, message, 0, 3, 0);
            client.connection().postSend(2, message, 1, 2, RdmaConnection.SOLICITED);
            client.connection().postSendWithInvalidate(3, message, 0, 0, 0x12345678, 0);
            client.connection().postSendWithInvalidate(4, message, 0, 1, 0x12345678, RdmaConnection.SOLICITED);
            client.connection().postWrite(5, message, 0, 3, 0x7654321, 0x123456789abcdefL, 0);
            assertThat(HEX.formatHex(peer.receiveUlpdu()))
                    .isEqualTo("4143" + "00000000" + "00000000" + "00000001" + "00000000" + "010203");
            assertThat(HEX.formatHex(peer.receiveUlpdu()))
                    .isEqualTo("4145" + "00000000" + "00000000" + "00000002" + "00000000" + "0203");
            assertThat(HEX.formatHex(peer.receiveUlpdu()))
                    .isEqualTo("4144" + "12345678" + "00000000" + "00000003" + "00000000");
            assertThat(HEX.formatHex(peer.receiveUlpdu()))
                    .isEqualTo("4146" + "12345678" + "00000000" + "00000004" + "00000000" + "01");
            assertThat(HEX.formatHex(peer.receiveUlpdu()))
                    .isEqualTo("c140" + "07654321" + "0123456789abcdef" + "010203");
        }
    }
}
