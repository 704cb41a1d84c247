package io.verbena.verbs.trace.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Octets that wait for earlier ones, and how long they wait. */
class TcpStreamTest {
    private static final Flow FLOW =
            new Flow(new InetSocketAddress("192.0.2.1", 50_000), new InetSocketAddress("192.0.2.2", 20_049));
    private static final int PACKET = 64 << 10;

    private final List<Long> gaps = new ArrayList<>();
    private int taken;

    private final TcpStream stream = new TcpStream(0, new TcpStream.Sink() {
        @Override
        public void onOctets(ByteBuffer octets, CapturedPacket packet) {
            taken += octets.remaining();
        }

        @Override
        public void onGap(long missing) {
            gaps.add(missing);
        }
    });

    /** Adds one octet of payload in a far longer packet. */
    private void add(int sequence) {
        CapturedPacket packet = new CapturedPacket(1, Instant.EPOCH, PacketDecoder.RAW, ByteBuffer.allocate(PACKET));
        stream.add(new TcpSegment(FLOW, sequence, false, true, packet.data().slice(40, 1), packet));
    }

    @Test
    void shouldCountWhatItHoldsAndNotItsPayloadOnly() {
        int enough = TcpStream.MAX_EARLY / PACKET;
        for (int i = 0; i < enough - 1; i++) {
            add(1000 + 2 * i);
        }
        assertThat(gaps).isEmpty();

        add(1000 + 2 * enough);
        assertThat(gaps).containsExactly(1000L);
        assertThat(taken).isOne();

        stream.finish();
        assertThat(taken).isEqualTo(enough);
    }

    @Test
    void shouldGoOnBeyondAllSequenceNumbers() {
        int step = 1 << 30;
        for (int i = 0; i < 12; i++) {
            add(i * step + i);
            stream.finish();
        }

        assertThat(taken).isEqualTo(12);
        assertThat(gaps).hasSize(11).containsOnly((long) step);
    }
}
