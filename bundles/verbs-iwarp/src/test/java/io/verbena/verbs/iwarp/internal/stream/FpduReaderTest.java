package io.verbena.verbs.iwarp.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.provider.RawPeer;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.StreamFault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** FPDUs are found wherever TCP cuts its stream, however long the staging buffer is. */
@ParameterizedClass
@EnumSource
class FpduReaderTest {
    private static final int LARGE = 60_001;

    /** The staging buffers. */
    enum Kind {
        LONG,
        GROWS,
        STAYS_SHORT;

        Staging staging(ByteBuffer large) {
            if (this == LONG) {
                return Staging.of(large);
            }
            DirectMemory memory = new DirectMemory(this == GROWS ? 1 << 20 : 4096);
            ByteBuffer small = ByteBuffer.allocateDirect(FpduReader.SHORT_STAGING);
            return new Staging(memory.share("peer"), small, FpduReader.STAGING, System::nanoTime);
        }
    }

    @Parameter
    Kind kind;

    private final ByteBuffer staging = ByteBuffer.allocateDirect(FpduReader.STAGING);
    private final byte[] large = new byte[LARGE];

    /** A channel that gives the stream in pieces that end at the places given. */
    private static final class Pieces implements ScatteringByteChannel {
        private final byte[] stream;
        private final int[] ends;
        private int position;
        private int piece;

        Pieces(byte[] stream, int... ends) {
            this.stream = stream;
            this.ends = ends;
        }

        @Override
        public int read(ByteBuffer target) {
            return (int) read(new ByteBuffer[] {target}, 0, 1);
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            while (piece < ends.length && ends[piece] <= position) {
                piece++;
            }
            int end = piece < ends.length ? Math.min(ends[piece], stream.length) : stream.length;
            int start = position;
            for (int i = offset; i < offset + length; i++) {
                int n = Math.min(targets[i].remaining(), end - position);
                targets[i].put(stream, position, n);
                position += n;
            }
            return position == start ? -1 : position - start;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return read(targets, 0, targets.length);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** The result of reading a stream. */
    private record Outcome(List<String> messages, ByteBuffer written) {}

    private static final class NoChannel implements GatheringByteChannel {
        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new AssertionError("nothing is to be sent");
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            throw new AssertionError("nothing is to be sent");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private static final class Events implements DdpSegmentReceiver.Events, Transmitter.Wakeup {
        final List<Completion> completions = new ArrayList<>();

        @Override
        public Completion nextCompletion() {
            completions.add(new Completion());
            return completions.get(completions.size() - 1);
        }

        @Override
        public void onFirstFpdu() {}

        @Override
        public void onReadyResponse() {
            throw new AssertionError("none is due");
        }

        @Override
        public void wakeup() {}

        @Override
        public void writeFailed(IOException cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean isReceiveThread() {
            return true;
        }
    }

    private Outcome read(boolean crc, StreamOf stream, int... ends) throws Exception {
        return read(crc, stream, READ_AND_PROCESS, ends);
    }

    private Outcome read(boolean crc, StreamOf stream, Reading reading, int... ends) throws Exception {
        RandomNumbers random = new RandomNumbers(new SystemRuntime().random());
        RegionTable regions = new RegionTable(new SystemRuntime(), random);
        ReceiveRing receives = new ReceiveRing(8);
        ByteBuffer memory = ByteBuffer.allocateDirect(3 * LARGE);
        // three buffers, so that the large FPDUs cross seams
        Region target = regions.add(
                List.of(memory.slice(0, 1000), memory.slice(1000, LARGE), memory.slice(1000 + LARGE, LARGE)),
                Access.REMOTE_WRITE);
        ByteBuffer inbox = ByteBuffer.allocateDirect(8 * 100);
        Region received = regions.add(List.of(inbox), Access.LOCAL);
        for (int i = 0; i < 8; i++) {
            receives.post(i, received, 100L * i, 100);
        }
        Events events = new Events();
        Transmitter transmitter = new Transmitter(
                new SystemRuntime(),
                new OutboundQueue(1, 1),
                new InboundReads(1),
                new FpduWriter(
                        Staging.of(ByteBuffer.allocateDirect(FpduWriter.STAGING)), 1448, crc, ConnectionTap.UNOBSERVED),
                new NoChannel(),
                events,
                random);
        FpduReader reader = new FpduReader(
                kind.staging(staging),
                crc,
                new DdpSegmentReceiver(regions, receives, transmitter, events),
                ConnectionTap.UNOBSERVED);
        Pieces pieces = new Pieces(stream.of(target), ends);
        reading.read(reader, pieces);
        assertThat(reader.isMidway()).isFalse();
        List<String> messages = new ArrayList<>();
        for (Completion c : events.completions) {
            byte[] message = new byte[c.length()];
            inbox.get((int) c.id() * 100, message);
            messages.add(RawPeer.HEX.formatHex(message));
        }
        return new Outcome(messages, memory);
    }

    /** The octets of a stream, which name a region. */
    private interface StreamOf {
        byte[] of(Region target) throws IOException;
    }

    /** Reads to the end of a stream. */
    private interface Reading {
        void read(FpduReader reader, Pieces pieces) throws Exception;
    }

    private static final Reading READ_AND_PROCESS = (reader, pieces) -> {
        while (reader.read(pieces) >= 0) {
            reader.process();
        }
    };

    private static byte[] fpdu(byte[] ulpdu) {
        return RawPeer.fpdu(ulpdu, true);
    }

    private static byte[] small(Region target) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(fpdu(RawPeer.untagged(3, true, 0, 1, 0, new byte[] {1, 2, 3})));
        out.write(fpdu(
                RawPeer.tagged(0, true, target.steeringTag(), target.remoteOffset() + 5, new byte[] {4, 5, 6, 7})));
        out.write(fpdu(RawPeer.untagged(3, false, 0, 2, 0, new byte[] {8, 9})));
        out.write(fpdu(RawPeer.untagged(3, true, 0, 2, 2, new byte[] {10})));
        return out.toByteArray();
    }

    private byte[] large(Region target) throws IOException {
        new Random(1).nextBytes(large);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 2; i++) {
            out.write(fpdu(RawPeer.tagged(
                    0, i == 1, target.steeringTag(), target.remoteOffset() + 7 + (long) i * LARGE, large)));
        }
        out.write(fpdu(RawPeer.untagged(3, true, 0, 1, 0, new byte[] {1, 2, 3})));
        return out.toByteArray();
    }

    private static void assertSmall(Outcome outcome) {
        assertThat(outcome.messages).containsExactly("010203", "08090a");
        byte[] start = new byte[10];
        outcome.written.get(0, start);
        assertThat(RawPeer.HEX.formatHex(start, 4, 10)).isEqualTo("000405060700");
    }

    private void assertLarge(Outcome outcome) {
        assertThat(outcome.messages).containsExactly("010203");
        for (int i = 0; i < LARGE; i++) {
            if (outcome.written.get(7 + i) != large[i] || outcome.written.get(7 + LARGE + i) != large[i]) {
                assertThat(i).as("first octet that is wrong").isEqualTo(-1);
            }
        }
        assertThat(outcome.written.get(6)).isZero();
        assertThat(outcome.written.get(7 + 2 * LARGE)).isZero();
    }

    @Test
    void shouldFindFpdusCutAnywhere() throws Exception {
        for (int cut = 0; cut <= 140; cut++) {
            assertSmall(read(true, FpduReaderTest::small, cut));
        }
    }

    @Test
    void shouldFindFpdusThatComeOctetByOctet() throws Exception {
        int[] every = new int[200];
        for (int i = 0; i < every.length; i++) {
            every[i] = i + 1;
        }
        assertSmall(read(true, FpduReaderTest::small, every));
        assertSmall(read(false, FpduReaderTest::small, every));
    }

    @Test
    void shouldPlaceLargeFpdusCutAnywhere() throws Exception {
        int fpdu = 2 + 14 + LARGE + 3 + 4;
        for (int start : new int[] {0, fpdu, 2 * fpdu - 40}) {
            for (int cut = start; cut < start + 80; cut++) {
                assertLarge(read(true, this::large, cut, cut + 5));
                assertLarge(read(true, this::large, cut));
            }
        }
        for (int cut = 900; cut < 2 * fpdu; cut += 997) {
            assertLarge(read(true, this::large, cut, cut + 50, cut + 20_000, cut + 20_001));
            assertLarge(read(false, this::large, cut, cut + 30_000));
        }
    }

    @Test
    void shouldJudgeALargeFpduOnceHoweverManyReadsItTakes() {
        int[] every = new int[LARGE];
        Arrays.setAll(every, i -> i + 1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        AtomicLong allocated = new AtomicLong();

        assertThatThrownBy(() -> read(
                        true,
                        target -> fpdu(RawPeer.tagged(0, true, target.steeringTag() + 1, 0, large)),
                        (reader, pieces) -> {
                            long before = threads.getCurrentThreadAllocatedBytes();
                            for (int i = 0; i < LARGE; i++) {
                                reader.read(pieces);
                                reader.process();
                            }
                            allocated.set(threads.getCurrentThreadAllocatedBytes() - before);
                            READ_AND_PROCESS.read(reader, pieces);
                        },
                        every))
                .isInstanceOf(kind == Kind.STAYS_SHORT ? RdmaException.class : StreamFault.class)
                .hasMessageContaining(kind == Kind.STAYS_SHORT ? "no memory for a frame" : "invalid steering tag");
        // an exception for each of the reads would be tens of millions
        assertThat(allocated.get()).isLessThan(100L * LARGE);
    }
}
