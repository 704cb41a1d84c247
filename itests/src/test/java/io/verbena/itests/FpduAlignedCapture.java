package io.verbena.itests;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The octets of a captured iWARP session, cut anew into TCP segments of one handshake frame or FPDU each, as adapters
 * send them (RFC 5044 section 4.2). TCP may carry many FPDUs in a segment, and software does; but Wireshark's iWARP
 * dissectors keep what they know by frame, and lose track where a frame holds several messages.
 */
final class FpduAlignedCapture {
    private static final int MAGIC = 0xa1b2c3d4;
    private static final int LINKTYPE_RAW = 101;
    private static final int LOOPBACK = 0x7f000001;
    private static final int IP_HEADER = 20;
    private static final int TCP_HEADER = 20;
    private static final int MPA_FRAME_HEADER = 20;

    private final Map<String, Direction> directions = new HashMap<>();
    private final DataOutputStream out;

    private FpduAlignedCapture(DataOutputStream out) {
        this.out = out;
    }

    private static final class Direction {
        private ByteBuffer left = ByteBuffer.allocate(0);
        private boolean shaken;
        private int sequence = 1;
    }

    /**
     * Writes a pcap file.
     *
     * @param segments lines of {@code source port TAB destination port TAB payload in hexadecimal}, in order
     * @return the octets at the end of each direction that make no whole frame
     */
    static int write(List<String> segments, Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            FpduAlignedCapture capture = new FpduAlignedCapture(out);
            out.writeInt(MAGIC);
            out.writeShort(2);
            out.writeShort(4);
            out.writeLong(0);
            out.writeInt(1 << 18);
            out.writeInt(LINKTYPE_RAW);
            for (String segment : segments) {
                String[] fields = segment.split("\t", -1);
                capture.add(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), fields[2]);
            }
            return capture.directions.values().stream()
                    .mapToInt(direction -> direction.left.remaining())
                    .sum();
        }
    }

    private void add(int source, int destination, String payload) throws IOException {
        Direction direction = directions.computeIfAbsent(source + ">" + destination, key -> new Direction());
        Direction opposite = directions.computeIfAbsent(destination + ">" + source, key -> new Direction());
        byte[] more = HexFormat.of().parseHex(payload);
        ByteBuffer all = ByteBuffer.allocate(direction.left.remaining() + more.length)
                .put(direction.left)
                .put(more)
                .flip();
        int length = frameLength(direction, all);
        while (length > 0 && length <= all.remaining()) {
            byte[] frame = new byte[length];
            all.get(frame);
            writeSegment(source, destination, direction.sequence, opposite.sequence, frame);
            direction.sequence += length;
            direction.shaken = true;
            length = frameLength(direction, all);
        }
        direction.left = all.slice();
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

    private void writeSegment(int source, int destination, int sequence, int acknowledged, byte[] payload)
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
        out.writeShort(source);
        out.writeShort(destination);
        out.writeInt(sequence);
        out.writeInt(acknowledged);
        out.writeInt(0x5018ffff); // five words of header, PSH and ACK, the largest window
        out.writeInt(0);
        out.write(payload);
    }
}
