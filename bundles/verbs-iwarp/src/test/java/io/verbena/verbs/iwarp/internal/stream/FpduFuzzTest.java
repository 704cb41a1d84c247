package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.fuzzing.FuzzTarget;
import io.verbena.fuzzing.Fuzzer;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionInvalidException;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.provider.RawPeer;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import io.verbena.verbs.iwarp.internal.wire.StreamFault;
import io.verbena.verbs.iwarp.internal.wire.TerminateHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/**
 * The stream behind the handshake: MPA's framing, DDP and RDMAP. The first octet of an input is not part of the stream:
 * it selects CRC, how the peer gets ready, and how TCP cuts the stream.
 */
class FpduFuzzTest {
    private static final int RECEIVES = 8;
    private static final int RECEIVE_SIZE = 100;
    private static final int SMALL = 256;
    private static final int LARGE = 64 << 10;
    private static final int READ_SIZE = 40;

    private static final int LONGEST_CAPTURED = 256;

    private static final int CRC = 1;
    private static final int READY_SEND = 2;
    private static final int READY_RESPONSE = 4;

    /** The same numbers for every connection, so that an input's tags mean the same each time. */
    private static final class Recurring extends Random {
        private static final long serialVersionUID = 1L;
        private static final byte[] NUMBERS = new byte[4096];

        static {
            new Random(5040).nextBytes(NUMBERS);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(NUMBERS, 0, bytes, 0, bytes.length);
        }
    }

    /** A connection without sockets. */
    private static final class Ends
            implements DdpSegmentReceiver.Events, Transmitter.Wakeup, ScatteringByteChannel, GatheringByteChannel {
        final Completion[] completions = new Completion[RECEIVES + 1];
        int completed;
        long written;
        boolean readResponded;
        boolean memoryGone;
        Transmitter transmitter;

        private ByteBuffer stream = ByteBuffer.allocate(0);
        private int position;
        private int end;
        private int piece;

        Ends() {
            for (int i = 0; i < completions.length; i++) {
                completions[i] = new Completion();
            }
        }

        void receive(ByteBuffer in, int from, int to, int pieces) {
            stream = in;
            position = from;
            end = to;
            piece = pieces;
        }

        @Override
        public Completion nextCompletion() {
            return completions[completed++];
        }

        @Override
        public void onFirstFpdu() {
            transmitter.open();
        }

        @Override
        public void onReadyResponse() {
            readResponded = true;
        }

        @Override
        public void wakeup() {}

        @Override
        public void writeFailed(IOException cause) {
            if (!(cause instanceof RegionInvalidException)) {
                throw new IllegalStateException(cause);
            }
            memoryGone = true;
        }

        @Override
        public boolean isReceiveThread() {
            return true;
        }

        @Override
        public int read(ByteBuffer target) {
            if (position == end) {
                return -1;
            }
            int n = Math.min(Math.min(target.remaining(), piece), end - position);
            target.put(target.position(), stream, position, n).position(target.position() + n);
            position += n;
            return n;
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            int n = read(targets[offset]);
            return n < 0 || targets[offset].hasRemaining() ? n : n + Math.max(0, read(targets[offset + 1]));
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return read(targets, 0, targets.length);
        }

        @Override
        public int write(ByteBuffer source) {
            int n = source.remaining();
            source.position(source.limit());
            written += n;
            return n;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            long n = 0;
            for (int i = offset; i < offset + length; i++) {
                n += write(sources[i]);
            }
            return n;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private static final class Target implements FuzzTarget {
        private final List<byte[]> captured = new ArrayList<>();
        private final byte[][] leftovers = new byte[3][FpduReader.STAGING];
        private final byte[] zeros = new byte[LARGE];
        private final ByteBuffer staging = ByteBuffer.allocateDirect(FpduReader.STAGING);
        private final ByteBuffer sendStaging = ByteBuffer.allocateDirect(FpduWriter.STAGING);
        private final ByteBuffer inbox = ByteBuffer.allocateDirect(RECEIVES * RECEIVE_SIZE);
        private final ByteBuffer small = ByteBuffer.allocateDirect(SMALL);
        private final ByteBuffer large = ByteBuffer.allocateDirect(LARGE);
        private final ByteBuffer sink = ByteBuffer.allocateDirect(READ_SIZE);
        private final ByteBuffer terminate = ByteBuffer.allocate(TerminateHeader.MAX_LENGTH);
        private final List<ByteBuffer> memory = List.of(inbox, small, sink);

        private final CRC32C checksum = new CRC32C();
        private int run;
        private boolean largeUsed;
        private int sinkTag;
        private Ends ends;
        private RegionTable regions;
        private Region writable;
        private Region largeWritable;
        private Region readable;
        private FpduWriter writer;
        private ReceiveRing receives;
        private Transmitter transmitter;
        private DdpSegmentReceiver segments;
        private FpduReader plain;
        private FpduReader checked;
        private FpduReader reader;

        Target() {
            new Random(1).nextBytes(leftovers[1]);
            Arrays.fill(leftovers[2], (byte) 0xff);
            for (byte[] stream :
                    TcpCapture.read(TcpCapture.LINUX_NFS41_OVER_SIW).values()) {
                collect(ByteBuffer.wrap(stream));
            }
            writer = new FpduWriter(Staging.of(sendStaging), 1448, false, ConnectionTap.UNOBSERVED);
            prepare(0);
        }

        private void collect(ByteBuffer stream) {
            int at = MpaFrame.PRIVATE_DATA + stream.getShort(MpaFrame.PRIVATE_DATA_LENGTH);
            while (at < stream.limit()) {
                int ulpdu = stream.getShort(at) & 0xffff;
                byte[] fpdu = new byte[2 + ulpdu + Iwarp.padding(ulpdu) + 4];
                stream.get(at, fpdu);
                if (fpdu.length <= LONGEST_CAPTURED) {
                    captured.add(fpdu);
                }
                at += fpdu.length;
            }
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int control = random.nextInt(256) & (random.nextInt(4) == 0 ? 0xff : 0xf8);
            out.write(control);
            int sendMsn = 1;
            int readMsn = 1;
            for (int i = random.nextInt(5); i >= 0; i--) {
                byte[] fpdu;
                switch (random.nextInt(16)) {
                    case 0 -> fpdu = captured.get(random.nextInt(captured.size()));
                    case 1 ->
                        fpdu = fpdu(
                                RawPeer.untagged(7, true, 2, 1, 0, octets(4 + random.nextInt(50), random)), control);
                    case 2, 3, 4 -> fpdu = write(writable, SMALL, random.nextInt(100), control, random);
                    case 5 ->
                        fpdu = random.nextInt(16) == 0
                                ? write(largeWritable, LARGE, 20_000, control, random)
                                : fpdu(new byte[0], control);
                    case 6, 7 -> fpdu = fpdu(readRequest(readMsn++, random), control);
                    case 8 -> fpdu = fpdu(RawPeer.tagged(2, true, sinkTag, 0, octets(READ_SIZE, random)), control);
                    case 9 -> {
                        out.writeBytes(fpdu(RawPeer.untagged(3, false, 0, sendMsn, 0, octets(30, random)), control));
                        fpdu = fpdu(RawPeer.untagged(3, true, 0, sendMsn++, 30, octets(30, random)), control);
                    }
                    default -> {
                        byte[] send = RawPeer.untagged(
                                3 + random.nextInt(4),
                                true,
                                0,
                                sendMsn++,
                                0,
                                octets(random.nextInt(RECEIVE_SIZE), random));
                        ByteBuffer.wrap(send).putInt(DdpHeader.UNTAGGED_INVALIDATE_STAG, writable.steeringTag());
                        fpdu = fpdu(send, control);
                    }
                }
                out.writeBytes(fpdu);
            }
            return out.toByteArray();
        }

        private static byte[] fpdu(byte[] ulpdu, int control) {
            return RawPeer.fpdu(ulpdu, (control & CRC) != 0);
        }

        private static byte[] octets(int length, RandomGenerator random) {
            byte[] octets = new byte[length];
            random.nextBytes(octets);
            return octets;
        }

        private static byte[] write(Region region, int size, int length, int control, RandomGenerator random) {
            long offset = region.remoteOffset() + random.nextInt(size - length);
            return fpdu(RawPeer.tagged(0, true, region.steeringTag(), offset, octets(length, random)), control);
        }

        private byte[] readRequest(int msn, RandomGenerator random) {
            int size = random.nextInt(SMALL);
            return RawPeer.readRequest(
                    msn, 1, 2, size, readable.steeringTag(), readable.remoteOffset() + random.nextInt(SMALL - size));
        }

        @Override
        public void prepare(int newRun) {
            run = newRun;
            memory.forEach(buffer -> buffer.put(0, zeros, 0, buffer.capacity()));
            try {
                connect();
            } catch (RdmaException e) {
                throw new IllegalStateException(e);
            }
        }

        private void connect() throws RdmaException {
            RandomNumbers random = new RandomNumbers(new Recurring());
            regions = new RegionTable(new SystemRuntime(), random);
            writable = regions.add(List.of(small.slice(0, 100), small.slice(100, SMALL - 100)), Access.REMOTE_WRITE);
            largeWritable = regions.add(List.of(large), Access.REMOTE_WRITE);
            readable = regions.add(List.of(large), Access.REMOTE_READ);
            receives = new ReceiveRing(RECEIVES);
            Region received = regions.add(List.of(inbox), Access.LOCAL);
            for (int i = 0; i < RECEIVES; i++) {
                receives.post(i, received, (long) i * RECEIVE_SIZE, RECEIVE_SIZE);
            }
            ends = new Ends();
            if (!writer.isEmpty()) {
                writer = new FpduWriter(Staging.of(sendStaging), 1448, false, ConnectionTap.UNOBSERVED);
            }
            transmitter = new Transmitter(
                    new SystemRuntime(), new OutboundQueue(1, 1), new InboundReads(2), writer, ends, ends, random);
            ends.transmitter = transmitter;
            transmitter.open();
            Region target = regions.add(List.of(sink), Access.LOCAL);
            transmitter.post(1, Iwarp.READ_REQUEST, target, 0, READ_SIZE, 1, 2, 0);
            transmitter.flush();
            sinkTag = transmitter.oldestRead().sinkTag;
            segments = new DdpSegmentReceiver(regions, receives, transmitter, ends);
            plain = new FpduReader(Staging.of(staging), false, segments, ConnectionTap.UNOBSERVED);
            checked = new FpduReader(Staging.of(staging), true, segments, ConnectionTap.UNOBSERVED);
        }

        @Override
        public String decode(ByteBuffer in, int offset, int length) throws IOException, StreamFault {
            staging.put(0, leftovers[run], 0, Math.min(length + 1024, FpduReader.STAGING));
            largeUsed = length > 16 << 10;
            if (largeUsed) {
                large.put(0, zeros);
            }
            int control = length == 0 ? 0 : in.get(offset);
            reader = (control & CRC) == 0 ? plain : checked;
            if ((control & READY_SEND) != 0) {
                segments.expectReadySend();
            } else if ((control & READY_RESPONSE) != 0) {
                segments.expectReadyResponse();
            }
            int pieces = (control >> 3) & 0x1f;
            int pieceLength = pieces == 0 ? length : pieces * (1 + length / 512);
            ends.receive(in, offset + Math.min(length, 1), offset + length, pieceLength);
            try {
                while (reader.read(ends) >= 0) {
                    reader.process();
                }
            } catch (StreamFault e) {
                reader.putTerminate(terminate, e.fault());
                throw e;
            }
            transmitter.flush();
            return ends.memoryGone ? "memory gone" : reader.isMidway() ? "ends within an FPDU" : "whole FPDUs";
        }

        @Override
        public long digest() {
            long digest = ends.written * 31 + ends.completed + (ends.readResponded ? 1 << 20 : 0) + regions.size();
            for (int i = 0; i < ends.completed; i++) {
                Completion completion = ends.completions[i];
                digest = 31 * digest + completion.length() + completion.id() * 128;
            }
            checksum.reset();
            for (ByteBuffer buffer : memory) {
                checksum.update(buffer);
                buffer.rewind();
            }
            if (largeUsed) {
                checksum.update(large);
                large.rewind();
            }
            return 31 * digest + checksum.getValue();
        }

        @Override
        public String refusal(Exception refusal) {
            if (refusal instanceof StreamFault fault) {
                return fault.fault().name();
            }
            return refusal instanceof RdmaException ? "Terminate" : null;
        }

        /** However long it is: a fault and its text, or a few views of memory. */
        @Override
        public long allowance(int length) {
            return 8192;
        }

        @Override
        public int maxLength() {
            return 48 << 10;
        }
    }

    @Test
    void shouldRefuseOrHandleWhateverComes() {
        Fuzzer.run("fpdus", new Target());
    }
}
