package io.verbena.verbs.trace.capture;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Makes captures for tests. */
final class Captures {
    static final int PCAP = 0xa1b2c3d4;
    static final int NANOSECOND_PCAP = 0xa1b23c4d;
    private static final int ETHERNET = 1;

    private Captures() {}

    /** The traffic found in a capture, as text. */
    static final class Found implements CaptureHandler {
        final List<String> sends = new ArrayList<>();
        final List<String> problems = new ArrayList<>();
        final List<Integer> connections = new ArrayList<>();
        final List<Instant> times = new ArrayList<>();
        int frames;
        CaptureSummary summary;

        @Override
        public void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {
            frames++;
        }

        @Override
        public void onSend(
                CapturedConnection connection, ByteBuffer message, Integer invalidated, long packet, Instant time) {
            byte[] octets = new byte[message.remaining()];
            message.duplicate().get(octets);
            sends.add(packet + ": " + text(octets) + (invalidated == null ? "" : " invalidates " + invalidated));
            connections.add(connection.number());
            times.add(time);
        }

        private static String text(byte[] octets) {
            return octets.length <= 40
                    ? new String(octets, java.nio.charset.StandardCharsets.US_ASCII)
                    : octets.length + " octets";
        }

        @Override
        public void onProblem(String problem) {
            problems.add(problem);
        }

        /** The messages without their packets. */
        List<String> messages() {
            return sends.stream()
                    .map(send -> send.substring(send.indexOf(' ') + 1))
                    .toList();
        }
    }

    static Found read(byte[] capture) throws IOException {
        Found found = new Found();
        found.summary = IwarpCapture.read(new ByteArrayInputStream(capture), found);
        return found;
    }

    /** A connection while it is written. */
    static final class Connection {
        final IwarpWriter tcp;
        final CaptureFpduWriter requests = new CaptureFpduWriter(frame -> write(true, frame));
        final CaptureFpduWriter replies = new CaptureFpduWriter(frame -> write(false, frame));
        private long nanos = 1_700_000_000_123_456_789L;

        private Connection(PcapngWriter out, InetSocketAddress from, InetSocketAddress to, int number)
                throws IOException {
            tcp = IwarpWriter.open(out, 0, from, to, number, nanos, null);
        }

        void write(boolean fromInitiator, ByteBuffer frame) throws IOException {
            tcp.frame(fromInitiator, nanos++, frame, null);
        }

        void shake() throws IOException {
            write(true, CaptureFpduWriter.handshake(false, true, ByteBuffer.allocate(4)));
            write(false, CaptureFpduWriter.handshake(true, true, ByteBuffer.allocate(0)));
        }
    }

    /** Writes to a connection. */
    interface Work {
        void with(Connection connection) throws IOException;
    }

    static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** A pcapng file of one connection. */
    static byte[] pcapng(String host, Work work) {
        try {
            ByteArrayOutputStream octets = new ByteArrayOutputStream();
            try (PcapngWriter out = new PcapngWriter(octets, "test", "a capture to read")) {
                out.addInterface("lo", "test");
                InetSocketAddress server = new InetSocketAddress(host, 20_049);
                work.with(new Connection(out, new InetSocketAddress(host, 50_000), server, 1));
            }
            return octets.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The IP packets of a capture. */
    static List<ByteBuffer> packets(byte[] capture) throws IOException {
        List<ByteBuffer> packets = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(capture))) {
            for (CapturedPacket p = reader.next(); p != null; p = reader.next()) {
                packets.add(p.data());
            }
        }
        return packets;
    }

    /** A pcap file of Ethernet frames with these IP packets. */
    static byte[] pcap(List<ByteBuffer> packets) {
        List<ByteBuffer> frames = packets.stream()
                .map(packet -> prefixed(packet, 12, packet.get(0) >> 4 == 4 ? 0x0800 : 0x86dd))
                .toList();
        return pcap(PCAP, ByteOrder.LITTLE_ENDIAN, ETHERNET, frames);
    }

    /** A packet behind {@code zeros} octets of zero and a 16-bit number. */
    static ByteBuffer prefixed(ByteBuffer packet, int zeros, int type) {
        return ByteBuffer.allocate(zeros + 2 + packet.remaining())
                .put(new byte[zeros])
                .putShort((short) type)
                .put(packet.duplicate())
                .flip();
    }

    static byte[] pcap(int magic, ByteOrder order, int linkType, List<ByteBuffer> frames) {
        int length = frames.stream().mapToInt(frame -> 16 + frame.remaining()).sum();
        ByteBuffer b = ByteBuffer.allocate(24 + length).order(order);
        b.putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(1 << 18)
                .putInt(linkType);
        for (ByteBuffer frame : frames) {
            b.putInt(1_700_000_000).putInt(123_456).putInt(frame.remaining()).putInt(frame.remaining());
            b.put(frame.duplicate());
        }
        return b.array();
    }
}
