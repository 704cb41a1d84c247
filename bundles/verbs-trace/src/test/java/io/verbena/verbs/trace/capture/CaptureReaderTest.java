package io.verbena.verbs.trace.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both formats in both byte orders, and files of neither format. */
class CaptureReaderTest {
    private static final List<ByteBuffer> PACKETS =
            List.of(ByteBuffer.wrap(new byte[] {1, 2, 3}), ByteBuffer.wrap(new byte[] {4}));

    private static List<CapturedPacket> read(byte[] file) throws IOException {
        List<CapturedPacket> packets = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(file))) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                packets.add(packet);
            }
        }
        return packets;
    }

    private static ByteOrder order(boolean big) {
        return big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadPcapWithItsTimes(boolean big) throws IOException {
        List<CapturedPacket> micros = read(Captures.pcap(Captures.PCAP, order(big), 113, PACKETS));
        assertThat(micros).hasSize(2);
        assertThat(micros.get(0).time()).hasToString("2023-11-14T22:13:20.123456Z");
        assertThat(micros.get(0).linkType()).isEqualTo(113);
        assertThat(micros.get(0).data()).isEqualTo(PACKETS.get(0));
        assertThat(micros.get(1).number()).isEqualTo(2);

        assertThat(read(Captures.pcap(Captures.NANOSECOND_PCAP, order(big), 1, PACKETS))
                        .get(0)
                        .time())
                .hasToString("2023-11-14T22:13:20.000123456Z");
    }

    /** Blocks of all kinds: two sections, an interface with a resolution and an offset, an unknown block. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadPcapngBlocks(boolean big) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(1024).order(order(big));
        section(b);
        block(b, 1, body -> body.putShort((short) 101)
                .putShort((short) 0)
                .putInt(0)
                .putShort((short) 9)
                .putShort((short) 1)
                .put((byte) 3)
                .put(new byte[3])
                .putShort((short) 14)
                .putShort((short) 8)
                .putLong(1_000_000_000L));
        block(b, 0x0bad, body -> body.putInt(7));
        block(b, 6, body -> body.putInt(0)
                .putInt(0)
                .putInt(1500)
                .putInt(3)
                .putInt(3)
                .put(new byte[] {1, 2, 3, 0}));
        block(b, 2, body -> body.putShort((short) 0)
                .putShort((short) 0)
                .putInt(0)
                .putInt(2500)
                .putInt(1)
                .putInt(9)
                .put(new byte[] {4, 0, 0, 0}));
        section(b);
        block(b, 1, body -> body.putShort((short) 1).putShort((short) 0).putInt(0));
        block(b, 3, body -> body.putInt(2).put(new byte[] {5, 6, 0, 0}));

        List<CapturedPacket> packets = read(Arrays.copyOf(b.array(), b.position()));

        assertThat(packets).hasSize(3);
        assertThat(packets.get(0).time()).hasToString("2001-09-09T01:46:41.500Z");
        assertThat(packets.get(0).data()).isEqualTo(PACKETS.get(0));
        assertThat(packets.get(1).time()).hasToString("2001-09-09T01:46:42.500Z");
        assertThat(packets.get(1).data()).isEqualTo(PACKETS.get(1));
        assertThat(packets.get(2).linkType()).isOne();
        assertThat(packets.get(2).data()).isEqualTo(ByteBuffer.wrap(new byte[] {5, 6}));
    }

    private interface Filling {
        void fill(ByteBuffer body);
    }

    private static void section(ByteBuffer b) {
        block(b, 0x0a0d0d0a, body -> body.putInt(0x1a2b3c4d).putInt(0x00010000).putLong(-1));
    }

    private static void block(ByteBuffer b, int type, Filling filling) {
        int start = b.position();
        b.putInt(type).putInt(0);
        filling.fill(b);
        int length = b.position() + 4 - start;
        b.putInt(length).putInt(start + 4, length);
    }

    @Test
    void shouldRefuseWhatIsNoCapture() {
        assertRefused(new byte[0], "the file is empty");
        assertRefused(new byte[] {1, 2}, "is cut off");
        assertRefused("PK\3\4 zipped".getBytes(java.nio.charset.StandardCharsets.US_ASCII), "begins with 0x504b0304");
        byte[] pcap = Captures.pcap(Captures.PCAP, ByteOrder.BIG_ENDIAN, 1, PACKETS);
        assertRefused(Arrays.copyOf(pcap, 10), "is cut off");
        assertRefused(Arrays.copyOf(pcap, pcap.length - 1), "is cut off at offset 59");
        ByteBuffer.wrap(pcap).putInt(24 + 8, 0x7fffffff);
        assertRefused(pcap, "the record at offset 24 claims a packet of 2147483647 octets");
    }

    @Test
    void shouldRefuseBlocksThatContradictThemselves() {
        ByteBuffer b = ByteBuffer.allocate(256);
        section(b);
        int behind = b.position();
        block(b, 6, body -> body.putInt(3).putInt(0).putInt(0).putInt(0).putInt(0));
        assertRefused(Arrays.copyOf(b.array(), b.position()), "is of interface 3, which is not described before");

        b.position(behind);
        block(b, 1, body -> body.putShort((short) 1).putShort((short) 0).putInt(0));
        int packet = b.position();
        block(b, 6, body -> body.putInt(0).putInt(0).putInt(0).putInt(99).putInt(99));
        assertRefused(Arrays.copyOf(b.array(), b.position()), "of 99 octets is longer than its block");

        b.putInt(packet + 4, 13);
        assertRefused(Arrays.copyOf(b.array(), b.position()), "has the length 13");
        b.putInt(packet + 4, -4);
        assertRefused(Arrays.copyOf(b.array(), b.position()), "has the length 4294967292");
        b.putInt(packet + 4, 28);
        assertRefused(Arrays.copyOf(b.array(), b.position()), "ends with another length");
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining(why);
    }
}
