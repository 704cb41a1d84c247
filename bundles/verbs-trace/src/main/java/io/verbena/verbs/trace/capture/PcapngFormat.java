package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The newer format: sections of blocks, which describe interfaces and hold their packets. */
final class PcapngFormat implements CaptureReader.Format {
    static final int SECTION_HEADER = 0x0a0d0d0a;
    static final int BYTE_ORDER = 0x1a2b3c4d;
    static final int INTERFACE = 1;
    static final int SIMPLE_PACKET = 3;
    static final int STATISTICS = 5;
    static final int ENHANCED_PACKET = 6;
    static final int OPTION_END = 0;
    static final int OPTION_RESOLUTION = 9;

    private static final int OLD_PACKET = 2;
    private static final int OPTION_OFFSET = 14;
    private static final int BLOCK_OVERHEAD = 12; // type, length, and the length again
    private static final int INTERFACE_OPTIONS = 8;
    private static final int PACKET_HEADER = 20;
    private static final long NANOS = 1_000_000_000;
    private static final long MICROS = 1_000_000;
    private static final int BINARY = 0x80;
    private static final int MAX_DECIMAL = 18;
    private static final int MAX_BINARY = 62;
    private static final long MAX_SECONDS = 1L << 36; // year 4147

    /** @param unitsPerSecond the resolution of packet times */
    private record Interface(int linkType, long unitsPerSecond, long secondsBefore) {}

    private final CaptureInput in;
    private final List<Interface> interfaces = new ArrayList<>();
    private boolean firstBlock = true;
    private long number;

    PcapngFormat(CaptureInput in) {
        this.in = in;
    }

    @Override
    public CapturedPacket next() throws IOException {
        for (; ; ) {
            long start = in.offset();
            int type;
            if (firstBlock) {
                type = SECTION_HEADER; // this block identified the format
                start = 0;
                firstBlock = false;
            } else {
                ByteBuffer first = in.readOrEnd(Integer.BYTES);
                if (first == null) {
                    return null;
                }
                type = first.getInt(0);
            }
            ByteBuffer body = type == SECTION_HEADER ? beginSection(start) : readBody(in.read(Integer.BYTES), start, 0);
            CapturedPacket packet = packet(type, body, start);
            if (packet != null) {
                return packet;
            }
        }
    }

    /** Begins a section. Each section has its own byte order, which stands behind the length. */
    private ByteBuffer beginSection(long start) throws IOException {
        ByteBuffer words = in.read(2 * Integer.BYTES);
        words.order(ByteOrder.BIG_ENDIAN);
        int mark = words.getInt(Integer.BYTES);
        if (mark != BYTE_ORDER && Integer.reverseBytes(mark) != BYTE_ORDER) {
            throw new CaptureException("the section at offset " + start + " has no byte-order mark");
        }
        ByteOrder order = mark == BYTE_ORDER ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        in.order(order);
        interfaces.clear();
        return readBody(words.order(order), start, Integer.BYTES);
    }

    /** @param known the octets of the body that are read already */
    private ByteBuffer readBody(ByteBuffer lengthWord, long start, int known) throws IOException {
        int length = lengthWord.getInt(0);
        if (length < BLOCK_OVERHEAD + known || length > CaptureInput.MAX_BLOCK || length % Integer.BYTES != 0) {
            throw new CaptureException(
                    "the block at offset " + start + " has the length " + Integer.toUnsignedString(length));
        }
        ByteBuffer rest = in.read(length - 2 * Integer.BYTES - known);
        if (rest.getInt(rest.limit() - Integer.BYTES) != length) {
            throw new CaptureException(
                    "the block at offset " + start + " ends with another length than it begins with");
        }
        return rest.limit(rest.limit() - Integer.BYTES);
    }

    /** The packet of a block, or null. */
    private CapturedPacket packet(int type, ByteBuffer body, long start) throws CaptureException {
        switch (type) {
            case INTERFACE -> {
                require(body, INTERFACE_OPTIONS, start);
                interfaces.add(describe(body));
                return null;
            }
            case ENHANCED_PACKET, OLD_PACKET -> {
                require(body, PACKET_HEADER, start);
                int index = type == ENHANCED_PACKET ? body.getInt(0) : Short.toUnsignedInt(body.getShort(0));
                Interface from = interfaceOf(index, start);
                long time = Integer.toUnsignedLong(body.getInt(4)) << 32 | Integer.toUnsignedLong(body.getInt(8));
                return new CapturedPacket(
                        ++number,
                        instant(time, from),
                        from.linkType,
                        data(body, PACKET_HEADER, body.getInt(12), start));
            }
            case SIMPLE_PACKET -> {
                require(body, Integer.BYTES, start);
                int length = (int) Math.min(Integer.toUnsignedLong(body.getInt(0)), body.limit() - Integer.BYTES);
                return new CapturedPacket(
                        ++number,
                        Instant.EPOCH,
                        interfaceOf(0, start).linkType,
                        data(body, Integer.BYTES, length, start));
            }
            default -> {
                return null; // names, statistics, comments
            }
        }
    }

    private Interface interfaceOf(int index, long start) throws CaptureException {
        if (index < 0 || index >= interfaces.size()) {
            throw new CaptureException("the packet at offset " + start + " is of interface "
                    + Integer.toUnsignedString(index) + ", which is not described before");
        }
        return interfaces.get(index);
    }

    private static ByteBuffer data(ByteBuffer body, int at, int length, long start) throws CaptureException {
        if (length < 0 || length > body.limit() - at) {
            throw new CaptureException("the packet at offset " + start + " of " + Integer.toUnsignedString(length)
                    + " octets is longer than its block");
        }
        return body.slice(at, length); // big-endian, as a slice is
    }

    private static void require(ByteBuffer body, int length, long start) throws CaptureException {
        if (body.limit() < length) {
            throw new CaptureException("the block at offset " + start + " is too short for what it is");
        }
    }

    private static Interface describe(ByteBuffer body) {
        int linkType = Short.toUnsignedInt(body.getShort(0));
        long units = MICROS;
        long before = 0;
        int at = INTERFACE_OPTIONS;
        while (at + Integer.BYTES <= body.limit()) {
            int code = Short.toUnsignedInt(body.getShort(at));
            int length = Short.toUnsignedInt(body.getShort(at + Short.BYTES));
            at += Integer.BYTES;
            if (code == OPTION_END || length > body.limit() - at) {
                break;
            }
            if (code == OPTION_RESOLUTION && length == 1) {
                units = unitsPerSecond(body.get(at));
            } else if (code == OPTION_OFFSET && length == Long.BYTES) {
                before = body.getLong(at);
            }
            at += length + 3 & ~3;
        }
        return new Interface(linkType, units, before);
    }

    private static long unitsPerSecond(int resolution) {
        int exponent = resolution & ~BINARY & 0xff;
        if ((resolution & BINARY) != 0) {
            return 1L << Math.min(exponent, MAX_BINARY);
        }
        long units = 1;
        for (int i = 0; i < Math.min(exponent, MAX_DECIMAL); i++) {
            units *= 10;
        }
        return units;
    }

    private static Instant instant(long time, Interface from) {
        long seconds = Long.divideUnsigned(time, from.unitsPerSecond) + from.secondsBefore;
        long rest = Long.remainderUnsigned(time, from.unitsPerSecond);
        long nanos = NANOS % from.unitsPerSecond == 0
                ? rest * (NANOS / from.unitsPerSecond)
                : (long) ((double) rest / from.unitsPerSecond * NANOS);
        // a packet with an invalid time is shown all the same
        return seconds < 0 || seconds > MAX_SECONDS ? Instant.EPOCH : Instant.ofEpochSecond(seconds, nanos);
    }
}
