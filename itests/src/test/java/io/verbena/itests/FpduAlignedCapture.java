package io.verbena.itests;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The octets of captured iWARP connections, cut anew into TCP segments of one handshake frame or FPDU each, as adapters
 * send them (RFC 5044 section 5.1). TCP may carry many FPDUs in a segment, and software does; but Wireshark's iWARP
 * dissectors keep what they know by frame, and lose track where a frame holds several messages.
 */
final class FpduAlignedCapture {
    private static final int MAGIC = 0xa1b2c3d4;
    private static final int PCAP_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int LINKTYPE_RAW = 101;
    private static final int ETHERNET_HEADER = 14;
    private static final int LOOPBACK = 0x7f000001;
    private static final int IP_HEADER = 20;
    private static final int TCP_HEADER = 20;
    private static final int MPA_FRAME_HEADER = 20;
    private static final int SYN = 0x02;
    private static final int ACK_PSH = 0x18;

    private final Map<Long, Direction> directions = new HashMap<>();
    private final DataOutputStream out;
    private long missing;
    private long left;

    private FpduAlignedCapture(DataOutputStream out) {
        this.out = out;
    }

    /** What was not cut into frames: octets that the capture lacks, and octets at the ends that make no whole frame. */
    record Rest(long missing, long left) {}

    /** One direction of one connection. */
    private static final class Direction {
        private final int source;
        private final int destination;
        private final TreeMap<Integer, byte[]> early = new TreeMap<>((a, b) -> a - b);
        private ByteBuffer unframed = ByteBuffer.allocate(0);
        private int expected;
        private boolean shaken;
        private int sequence;

        private Direction(int source, int destination, int expected) {
            this.source = source;
            this.destination = destination;
            this.expected = expected;
            this.sequence = expected;
        }

        private long opposite() {
            return (long) destination << 16 | source;
        }
    }

    /**
     * Reads a pcap file of a loopback interface and writes another one.
     *
     * @param captured begins before the first connection does
     */
    static Rest write(Path captured, Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(captured), 1 << 20);
                DataOutputStream out =
                        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 20))) {
            out.writeInt(MAGIC);
            out.writeShort(2);
            out.writeShort(4);
            out.writeLong(0);
            out.writeInt(1 << 18);
            out.writeInt(LINKTYPE_RAW);
            FpduAlignedCapture cut = new FpduAlignedCapture(out);
            cut.readAll(in);
            cut.directions.values().forEach(cut::end);
            return new Rest(cut.missing, cut.left);
        }
    }

    private void readAll(InputStream in) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(in.readNBytes(PCAP_HEADER)).order(ByteOrder.LITTLE_ENDIAN);
        if (header.remaining() < PCAP_HEADER || header.getInt(0) != MAGIC || header.getInt(20) != 1) {
            throw new IOException("not a little-endian pcap file of Ethernet frames");
        }
        byte[] head = in.readNBytes(RECORD_HEADER);
        while (head.length == RECORD_HEADER) {
            int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt(8);
            addPacket(ByteBuffer.wrap(in.readNBytes(length)));
            head = in.readNBytes(RECORD_HEADER);
        }
    }

    private void addPacket(ByteBuffer packet) throws IOException {
        int ip = ETHERNET_HEADER;
        int tcp = ip + (packet.get(ip) & 0xf) * 4;
        int ipLength = Short.toUnsignedInt(packet.getShort(ip + 2));
        int end = ipLength == 0 ? packet.limit() : ip + ipLength; // 0: longer than it can say
        int source = Short.toUnsignedInt(packet.getShort(tcp));
        int destination = Short.toUnsignedInt(packet.getShort(tcp + 2));
        int sequence = packet.getInt(tcp + 4);
        int payload = tcp + (packet.get(tcp + 12) >> 4 & 0xf) * 4;
        if ((packet.get(tcp + 13) & SYN) != 0) {
            begin(source, destination, sequence + 1);
            return;
        }
        Direction direction = directions.get(key(source, destination));
        if (direction == null && end == payload) {
            return; // the last of a connection that had ended for its user before
        }
        if (direction == null) {
            throw new IOException("the capture lacks the SYN of " + source + " to " + destination);
        }
        byte[] data = new byte[end - payload];
        packet.get(payload, data);
        if (data.length > 0) {
            direction.early.merge(sequence, data, (a, b) -> a.length < b.length ? b : a);
            takeInOrder(direction);
        }
    }

    private static long key(int source, int destination) {
        return (long) source << 16 | destination;
    }

    private void begin(int source, int destination, int expected) throws IOException {
        Direction before = directions.get(key(source, destination));
        if (before != null && before.expected == expected) {
            return; // sent again
        }
        if (before != null) {
            end(before); // the port is used for another connection
        }
        Direction direction = new Direction(source, destination, expected);
        directions.put(key(source, destination), direction);
        // two connections of the same ports are told apart by where their numbers begin
        writeSegment(direction, expected - 1, 0, SYN, new byte[0]);
    }

    private void end(Direction direction) {
        direction.early.values().forEach(data -> missing += data.length);
        left += direction.unframed.remaining();
    }

    private void takeInOrder(Direction direction) throws IOException {
        while (!direction.early.isEmpty()) {
            int known = direction.expected - direction.early.firstKey();
            if (known < 0) {
                return; // comes later
            }
            byte[] data = direction.early.pollFirstEntry().getValue();
            if (known < data.length) {
                direction.expected += data.length - known;
                frame(direction, ByteBuffer.wrap(data, known, data.length - known));
            }
        }
    }

    private void frame(Direction direction, ByteBuffer more) throws IOException {
        Direction opposite = directions.get(direction.opposite());
        ByteBuffer all = ByteBuffer.allocate(direction.unframed.remaining() + more.remaining())
                .put(direction.unframed)
                .put(more)
                .flip();
        int length = frameLength(direction, all);
        while (length > 0 && length <= all.remaining()) {
            byte[] frame = new byte[length];
            all.get(frame);
            int acknowledged = opposite == null ? 0 : opposite.sequence;
            writeSegment(direction, direction.sequence, acknowledged, ACK_PSH, frame);
            direction.sequence += length;
            direction.shaken = true;
            length = frameLength(direction, all);
        }
        direction.unframed = all.slice();
    }

    /** The octets of the next frame: the MPA request or reply, then FPDUs. 0 where that cannot be told yet. */
    private static int frameLength(Direction direction, ByteBuffer all) {
        int at = all.position();
        if (!direction.shaken) {
            return all.remaining() < MPA_FRAME_HEADER
                    ? 0
                    : MPA_FRAME_HEADER + Short.toUnsignedInt(all.getShort(at + MPA_FRAME_HEADER - 2));
        }
        if (all.remaining() < 2) {
            return 0;
        }
        int unpadded = 2 + Short.toUnsignedInt(all.getShort(at));
        return (unpadded + 3 & ~3) + 4;
    }

    private void writeSegment(Direction direction, int sequence, int acknowledged, int flags, byte[] payload)
            throws IOException {
        int length = IP_HEADER + TCP_HEADER + payload.length;
        out.writeLong(0); // the time does not matter
        out.writeInt(length);
        out.writeInt(length);
        out.writeInt(0x45000000 | length);
        out.writeInt(0);
        out.writeInt(0x40060000); // time to live 64, TCP, no checksum
        out.writeInt(LOOPBACK);
        out.writeInt(LOOPBACK);
        out.writeShort(direction.source);
        out.writeShort(direction.destination);
        out.writeInt(sequence);
        out.writeInt(acknowledged);
        out.writeInt(0x5000ffff | flags << 16); // five words of header, the largest window
        out.writeInt(0);
        out.write(payload);
    }
}
