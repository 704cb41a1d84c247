package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Writes IP packets in the pcapng format, with times in nanoseconds. For one thread at a time. */
public final class PcapngWriter implements AutoCloseable {
    /** Longer than any packet with its block. */
    private static final int BUFFER = 1 << 17;

    private static final int VERSION_1_0 = 1;
    private static final int NANOSECONDS = 9;
    private static final int MAX_TEXT = 2048;

    // options
    private static final int COMMENT = 1;
    private static final int INTERFACE_NAME = 2;
    private static final int INTERFACE_DESCRIPTION = 3;
    private static final int APPLICATION = 4;
    private static final int START_TIME = 2;
    private static final int END_TIME = 3;
    private static final int RECEIVED = 4;
    private static final int DROPPED = 5;

    private final OutputStream out;
    private final ByteBuffer block = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
    private int interfaces;

    /**
     * Begins a file.
     *
     * @param application the name of the writing application
     * @param comment a comment on the whole file
     */
    public PcapngWriter(OutputStream out, String application, String comment) throws IOException {
        this.out = out;
        begin(PcapngFormat.SECTION_HEADER);
        block.putInt(PcapngFormat.BYTE_ORDER).putShort((short) VERSION_1_0).putShort((short) 0);
        block.putLong(-1); // the section's length is unknown
        text(COMMENT, comment);
        text(APPLICATION, application);
        end();
    }

    /** Describes an interface that packets come from. Returns its number for {@link #packet}. */
    public int addInterface(String name, String description) throws IOException {
        begin(PcapngFormat.INTERFACE);
        block.putShort((short) PacketDecoder.RAW).putShort((short) 0).putInt(0);
        text(INTERFACE_NAME, name);
        text(INTERFACE_DESCRIPTION, description);
        option(PcapngFormat.OPTION_RESOLUTION, 1);
        block.put((byte) NANOSECONDS);
        pad();
        end();
        return interfaces++;
    }

    /**
     * Writes a packet that begins with an IP header.
     *
     * @param nanos the time of the packet, in nanoseconds since 1970
     * @param packet from position to limit; 65,535 octets at most
     * @param comment for people to read, or null
     */
    public void packet(int networkInterface, long nanos, ByteBuffer packet, String comment) throws IOException {
        int length = packet.remaining();
        begin(PcapngFormat.ENHANCED_PACKET);
        block.putInt(networkInterface);
        time(nanos);
        block.putInt(length).putInt(length).put(packet);
        pad();
        if (comment != null) {
            text(COMMENT, comment);
        }
        end();
    }

    /**
     * Writes the statistics of an interface.
     *
     * @param dropped the number of these packets that were not written
     */
    public void statistics(
            int networkInterface, long startNanos, long endNanos, long received, long dropped, String comment)
            throws IOException {
        begin(PcapngFormat.STATISTICS);
        block.putInt(networkInterface);
        time(endNanos);
        text(COMMENT, comment);
        option(START_TIME, Long.BYTES);
        time(startNanos);
        option(END_TIME, Long.BYTES);
        time(endNanos);
        option(RECEIVED, Long.BYTES);
        block.putLong(received);
        option(DROPPED, Long.BYTES);
        block.putLong(dropped);
        end();
    }

    /** The current time in nanoseconds since 1970. */
    public static long now() {
        java.time.Instant now = java.time.Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private void begin(int type) {
        block.clear().putInt(type).putInt(0);
    }

    private void time(long nanos) {
        block.putInt((int) (nanos >>> 32)).putInt((int) nanos);
    }

    private void option(int code, int length) {
        block.putShort((short) code).putShort((short) length);
    }

    private void text(int code, String value) {
        byte[] octets = value.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(octets.length, MAX_TEXT);
        option(code, length);
        block.put(octets, 0, length);
        pad();
    }

    private void pad() {
        while (block.position() % Integer.BYTES != 0) {
            block.put((byte) 0);
        }
    }

    private void end() throws IOException {
        option(PcapngFormat.OPTION_END, 0);
        int length = block.position() + Integer.BYTES;
        block.putInt(length).putInt(Integer.BYTES, length);
        out.write(block.array(), 0, length);
    }

    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
