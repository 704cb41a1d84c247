package io.verbena.verbs.trace.capture;

import static io.verbena.verbs.trace.capture.Captures.octets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.trace.capture.Captures.Found;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** iWARP connections in captures of any origin. */
class IwarpCaptureTest {
    private static final String V4 = "192.0.2.1";
    private static final int HANDSHAKE = 5; // TCP's handshake and MPA's frames

    private static byte[] session(String host) {
        return Captures.pcapng(host, connection -> {
            connection.shake();
            connection.requests.send(octets("one"));
            connection.requests.readRequest(1, 8, 2, 3);
            connection.replies.readResponse(1, octets("not sent"));
            connection.replies.sendWithInvalidate(77, octets("two"));
            connection.requests.send(ByteBuffer.allocate(150_000));
            connection.replies.write(9, 10, octets("nor this"));
            connection.replies.send(octets("three"));
            connection.tcp.close(0);
        });
    }

    private static List<ByteBuffer> packets() throws IOException {
        return new ArrayList<>(Captures.packets(session(V4)));
    }

    private static void assertWhole(Found found) {
        assertThat(found.problems).isEmpty();
        assertThat(found.messages()).containsExactlyInAnyOrder("one", "two invalidates 77", "150000 octets", "three");
        assertThat(found.summary.connections()).isOne();
        assertThat(found.summary.missing()).isZero();
        assertThat(found.summary.left()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {V4, "2001:db8::1"})
    void shouldFindSendsInTheOrderOfTheirPackets(String host) throws IOException {
        Found found = Captures.read(session(host));

        assertWhole(found);
        assertThat(found.sends).containsExactly("6: one", "9: two invalidates 77", "12: 150000 octets", "14: three");
        assertThat(found.frames).isEqualTo(11);
        assertThat(found.times.get(0)).hasToString("2023-11-14T22:13:20.123456791Z");
    }

    @Test
    void shouldReadEachLinkType() throws IOException {
        List<ByteBuffer> raw = packets();
        int ip = 0x0800;
        assertWhole(read(1, raw, 12, ip));
        assertWhole(read(113, raw, 14, ip));
        assertWhole(Captures.read(Captures.pcap(
                Captures.PCAP,
                ByteOrder.BIG_ENDIAN,
                276,
                raw.stream().map(IwarpCaptureTest::cooked).toList())));
        assertWhole(read(0, raw, 2, 2));
        assertWhole(read(108, raw, 2, 2));
        assertWhole(Captures.read(Captures.pcap(Captures.PCAP, ByteOrder.BIG_ENDIAN, 101, raw)));
        List<ByteBuffer> tagged = raw.stream()
                .map(packet -> Captures.prefixed(Captures.prefixed(packet, 2, ip), 12, 0x8100))
                .toList();
        assertWhole(Captures.read(Captures.pcap(Captures.PCAP, ByteOrder.LITTLE_ENDIAN, 1, tagged)));
    }

    private static Found read(int linkType, List<ByteBuffer> raw, int zeros, int type) throws IOException {
        List<ByteBuffer> frames = raw.stream()
                .map(packet -> Captures.prefixed(packet, zeros, type))
                .toList();
        return Captures.read(Captures.pcap(Captures.NANOSECOND_PCAP, ByteOrder.LITTLE_ENDIAN, linkType, frames));
    }

    private static ByteBuffer cooked(ByteBuffer packet) {
        return ByteBuffer.allocate(20 + packet.remaining())
                .putShort((short) 0x0800)
                .position(20)
                .put(packet.duplicate())
                .flip();
    }

    @Test
    void shouldNameALinkTypeThatItDoesNotKnow() throws IOException {
        Found found = Captures.read(Captures.pcap(Captures.PCAP, ByteOrder.BIG_ENDIAN, 147, packets()));

        assertThat(found.sends).isEmpty();
        assertThat(found.problems).singleElement().asString().contains("link type 147");
    }

    @Test
    @DisplayName("segments that come late, twice or in pieces that overlap make the same messages")
    void shouldPutSegmentsInOrder() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            List<ByteBuffer> packets = packets();
            List<ByteBuffer> data = new ArrayList<>(packets.subList(3, packets.size()));
            data.addAll(packets.subList(3, 12));
            Collections.shuffle(data, random);
            List<ByteBuffer> all = new ArrayList<>(packets.subList(0, 3));
            all.addAll(data);
            assertWhole(Captures.read(Captures.pcap(all)));
        }
    }

    @Test
    void shouldTellWhatTheCaptureLacksAndGoOnBehindIt() throws IOException {
        List<ByteBuffer> packets = packets();
        packets.remove(10); // the second part of the long message

        Found found = Captures.read(Captures.pcap(packets));

        assertThat(found.messages())
                .contains("one", "two invalidates 77", "three")
                .hasSize(3);
        assertThat(found.problems).singleElement().asString().contains("are not in the capture");
        assertThat(found.summary.missing()).isPositive();
    }

    @Test
    void shouldGoOnBehindAGapOfMoreThanHalfTheSequenceNumbers() throws IOException {
        byte[] capture = Captures.pcapng(V4, connection -> {
            connection.shake();
            connection.requests.send(octets("before"));
            connection.tcp.skip(true, 3L << 30);
            connection.requests.send(octets("behind"));
        });

        Found found = Captures.read(capture);

        assertThat(found.messages()).containsExactly("before", "behind");
        assertThat(found.summary.missing()).isEqualTo(1L << 30);
    }

    @Test
    void shouldBeginInTheMiddleOfAConnection() throws IOException {
        List<ByteBuffer> packets = packets();

        Found found = Captures.read(Captures.pcap(packets.subList(HANDSHAKE + 1, packets.size())));
        assertThat(found.problems).isEmpty();
        assertThat(found.messages()).containsExactlyInAnyOrder("two invalidates 77", "150000 octets", "three");

        found = Captures.read(Captures.pcap(packets.subList(10, packets.size())));
        assertThat(found.problems).isEmpty();
        assertThat(found.messages())
                .as("not the message whose first part is gone")
                .containsExactly("three");
    }

    @Test
    void shouldTellConnectionsOfTheSamePortsApart() throws IOException {
        byte[] second = Captures.pcapng(V4, connection -> {
            connection.tcp.skip(true, 1_000_000);
            connection.shake();
        });
        List<ByteBuffer> all = packets();
        List<ByteBuffer> again = packets();
        // another initial sequence number in all packets of the later connection
        for (ByteBuffer packet : again) {
            boolean request = packet.getShort(20) == (short) 50_000;
            packet.putInt(24, packet.getInt(24) + (request ? 5_000_000 : -7_000_000));
        }
        all.addAll(again);

        Found found = Captures.read(Captures.pcap(all));

        assertThat(found.problems).isEmpty();
        assertThat(found.sends).hasSize(8);
        assertThat(found.connections.subList(0, 4)).containsOnly(0);
        assertThat(found.connections.subList(4, 8)).containsOnly(1);
        assertThat(Captures.read(second).problems).isEmpty();
    }

    @Test
    void shouldPassOverOtherConnections() throws IOException {
        byte[] capture = Captures.pcapng(V4, connection -> {
            connection.write(true, octets("GET / HTTP/1.1\r\n\r\n"));
            connection.write(false, octets("HTTP/1.1 400 Bad Request\r\n\r\n"));
        });

        Found found = Captures.read(capture);

        assertThat(found.frames).isZero();
        assertThat(found.problems).isEmpty();
        assertThat(found.summary.connections()).isZero();
    }

    @Test
    @DisplayName("a connection with MPA markers is refused in so many words")
    void shouldRefuseMarkers() throws IOException {
        byte[] capture = Captures.pcapng(V4, connection -> {
            ByteBuffer request = CaptureFpduWriter.handshake(false, true, ByteBuffer.allocate(0));
            request.put(16, (byte) 0xc0);
            connection.write(true, request);
            connection.write(false, CaptureFpduWriter.handshake(true, true, ByteBuffer.allocate(0)));
            connection.requests.send(octets("unread"));
        });

        Found found = Captures.read(capture);

        assertThat(found.sends).isEmpty();
        assertThat(found.problems).singleElement().asString().contains("MPA markers (RFC 5044 4.3)");
    }

    @Test
    void shouldTellOfAWrongCrc() throws IOException {
        List<ByteBuffer> packets = packets();
        ByteBuffer first = packets.get(HANDSHAKE);
        first.put(first.limit() - 1, (byte) ~first.get(first.limit() - 1));

        assertThat(Captures.read(Captures.pcap(packets)).problems)
                .singleElement()
                .asString()
                .contains("an FPDU with a wrong CRC");
    }

    @Test
    void shouldReadFpdusWithoutCrcFromTheMiddleOn() throws IOException {
        byte[] capture = Captures.pcapng(V4, connection -> {
            CaptureFpduWriter plain =
                    new CaptureFpduWriter(frame -> connection.write(true, frame.putInt(frame.limit() - 4, 0)));
            plain.send(octets("one"));
            plain.send(octets("two"));
        });
        List<ByteBuffer> packets = Captures.packets(capture);

        Found found = Captures.read(Captures.pcap(packets.subList(3, packets.size())));

        assertThat(found.problems).isEmpty();
        assertThat(found.messages()).containsExactly("one", "two");
    }

    @Test
    @DisplayName("whatever stands in a capture, it is read to an end or refused in a line")
    void shouldTrustNoLength() throws IOException {
        byte[] good = session(V4);
        byte[] classic = Captures.pcap(packets());
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            byte[] bad = (random.nextBoolean() ? good : classic).clone();
            for (int i = 0; i <= random.nextInt(8); i++) {
                // mostly in headers
                int at = random.nextBoolean() ? random.nextInt(1500) : random.nextInt(bad.length);
                bad[at] = (byte) (random.nextInt(4) == 0 ? 0xff : random.nextInt(256));
            }
            try {
                assertThat(Captures.read(bad).summary.packets())
                        .as("seed %d", seed)
                        .isNotNegative();
            } catch (CaptureException e) {
                assertThat(e).message().isNotEmpty();
            }
        }
    }

    @Test
    void shouldCloseAlsoWhatIsNoCapture() {
        boolean[] closed = new boolean[1];
        InputStream in = new ByteArrayInputStream(new byte[100]) {
            @Override
            public void close() {
                closed[0] = true;
            }
        };

        assertThatThrownBy(() -> IwarpCapture.read(in, new Found())).isInstanceOf(CaptureException.class);
        assertThat(closed[0]).isTrue();
    }
}
