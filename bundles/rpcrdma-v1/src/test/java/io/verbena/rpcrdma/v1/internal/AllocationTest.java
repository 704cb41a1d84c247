package io.verbena.rpcrdma.v1.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.Segments;
import io.verbena.rpcrdma.TransportHeader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Decoding and encoding allocate nothing once the header object has been used. */
class AllocationTest {
    private static final int ROUNDS = 1000;

    @Test
    void shouldAllocateNothingOnceTheHeaderHasGrown() throws HeaderException {
        VersionOneFraming framing = new VersionOneFraming();
        TransportHeader header = new TransportHeader();
        byte[] octets = Segments.words(
                "3 1 32 0 1 PHLOO 1 PHLOO 1 PHLOO 1 PHLOO 1 PHLOO 0 1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0 1 2 HLOO HLOO",
                4,
                8,
                12,
                16,
                20);
        ByteBuffer in = ByteBuffer.wrap(octets);
        ByteBuffer out = ByteBuffer.allocate(octets.length);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        decodeAndEncode(framing, header, in, out);
        threads.getCurrentThreadAllocatedBytes();

        long before = threads.getCurrentThreadAllocatedBytes();
        decodeAndEncode(framing, header, in, out);
        long after = threads.getCurrentThreadAllocatedBytes();

        assertThat(out.array()).isEqualTo(octets);
        // less than one object in each round: the measurement itself may allocate
        assertThat(after - before).isLessThan(ROUNDS);
    }

    private static void decodeAndEncode(
            VersionOneFraming framing, TransportHeader header, ByteBuffer in, ByteBuffer out) throws HeaderException {
        for (int i = 0; i < ROUNDS; i++) {
            framing.decode(in, 0, in.capacity(), header);
            framing.encode(header, out, 0);
        }
    }
}
