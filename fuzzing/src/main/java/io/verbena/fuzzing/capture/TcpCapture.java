package io.verbena.fuzzing.capture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The TCP byte streams in a capture file: classic pcap of whole Ethernet frames with IPv4, each connection from its SYN
 * on. Segments may be duplicate, overlapping or out of order.
 *
 * <p>This reader is for tests, and trusts the few captures of this module. The bundle io.verbena.verbs.trace reads
 * captures of users. Tests of bundles below verbs-trace also need captures, including those of verbs-iwarp, on which
 * the tests of verbs-trace depend; so there are two readers.
 */
public final class TcpCapture {
    /** A mount of a Linux server by a Linux client, 300,000 octets written, an unmount. */
    public static final String LINUX_NFS41_OVER_SIW = "/captures/linux-nfs41-over-siw.pcap";

    private static final int MAGIC = 0xa1b2c3d4;
    private static final int FILE_HEADER = 24;
    private static final int LINK_TYPE_OFFSET = 20;
    private static final int ETHERNET = 1;
    private static final int RECORD_HEADER = 16;
    private static final int CAPTURED_OFFSET = 8;
    private static final int ORIGINAL_OFFSET = 12;
    private static final int ETHERTYPE_OFFSET = 12;
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERNET_HEADER = 14;
    private static final int PROTOCOL_TCP = 6;
    private static final int FLAG_SYN = 0x02;

    /** One direction of a connection. */
    public record Flow(int sourcePort, int destinationPort) {}

    private static final class Stream {
        final int firstSequence;
        final TreeMap<Integer, ByteBuffer> segments = new TreeMap<>();

        Stream(int firstSequence) {
            this.firstSequence = firstSequence;
        }

        byte[] octets() {
            ByteBuffer out = ByteBuffer.allocate(1 << 24);
            segments.forEach((start, segment) -> {
                if (start > out.position()) {
                    throw new IllegalStateException("octets are missing at " + out.position());
                }
                int known = out.position() - start;
                if (known < segment.remaining()) {
                    out.put(segment.slice(known, segment.remaining() - known));
                }
            });
            byte[] octets = new byte[out.position()];
            out.get(0, octets);
            return octets;
        }
    }

    private final Map<Flow, Stream> streams = new LinkedHashMap<>();

    private TcpCapture() {}

    /** The streams of the capture in the order in which they began. */
    public static Map<Flow, byte[]> read(String resource) {
        TcpCapture capture = new TcpCapture();
        capture.readRecords(ByteBuffer.wrap(load(resource)));
        Map<Flow, byte[]> octets = new LinkedHashMap<>();
        capture.streams.forEach((flow, stream) -> octets.put(flow, stream.octets()));
        return octets;
    }

    private static byte[] load(String resource) {
        try (InputStream in = TcpCapture.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no resource " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readRecords(ByteBuffer file) {
        file.order(file.getInt(0) == MAGIC ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        require(file.getInt(0) == MAGIC, "classic pcap");
        require(file.getInt(LINK_TYPE_OFFSET) == ETHERNET, "Ethernet");
        int at = FILE_HEADER;
        while (at < file.limit()) {
            int captured = file.getInt(at + CAPTURED_OFFSET);
            require(captured == file.getInt(at + ORIGINAL_OFFSET), "whole frames");
            readFrame(file.slice(at + RECORD_HEADER, captured)); // big-endian, as a slice is
            at += RECORD_HEADER + captured;
        }
    }

    private void readFrame(ByteBuffer frame) {
        if (frame.getShort(ETHERTYPE_OFFSET) != ETHERTYPE_IPV4) {
            return;
        }
        ByteBuffer ip = frame.slice(ETHERNET_HEADER, frame.limit() - ETHERNET_HEADER);
        int ipHeader = (ip.get(0) & 0x0f) * 4;
        if (ip.get(9) == PROTOCOL_TCP) {
            readSegment(ip.slice(ipHeader, Short.toUnsignedInt(ip.getShort(2)) - ipHeader));
        }
    }

    private void readSegment(ByteBuffer tcp) {
        Flow flow = new Flow(Short.toUnsignedInt(tcp.getShort(0)), Short.toUnsignedInt(tcp.getShort(2)));
        int sequence = tcp.getInt(4);
        int tcpHeader = (tcp.get(12) >> 4 & 0x0f) * 4;
        if ((tcp.get(13) & FLAG_SYN) != 0) {
            streams.put(flow, new Stream(sequence + 1));
        }
        Stream stream = streams.get(flow);
        if (stream != null && tcp.limit() > tcpHeader) {
            int start = sequence - stream.firstSequence; // the offset in the stream; sequence numbers may wrap around
            ByteBuffer payload = tcp.slice(tcpHeader, tcp.limit() - tcpHeader);
            stream.segments.merge(start, payload, (a, b) -> a.remaining() >= b.remaining() ? a : b);
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalArgumentException("the capture is not one of " + what);
        }
    }
}
