package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;

/** The classic format: a header of 24 octets, then records with a header of 16 octets each. */
final class PcapFormat implements CaptureReader.Format {
    private static final int MICROSECONDS = 0xa1b2c3d4;
    private static final int NANOSECONDS = 0xa1b23c4d;
    private static final int HEADER_REST = 20;
    private static final int LINK_TYPE = 16;
    // the upper bits describe the trailers of frames, which are ignored
    private static final int LINK_TYPE_MASK = 0xffff;
    private static final int RECORD_HEADER = 16;
    private static final int FRACTION = 4;
    private static final int CAPTURED = 8;
    private static final int NANOS_PER_MICRO = 1000;

    private final CaptureInput in;
    private final int linkType;
    private final int unit;
    private long number;

    private PcapFormat(CaptureInput in, int linkType, int unit) {
        this.in = in;
        this.linkType = linkType;
        this.unit = unit;
    }

    /** @param magic the file's first word, read as big-endian */
    static PcapFormat open(int magic, CaptureInput in) throws IOException {
        int other = Integer.reverseBytes(magic);
        boolean big = magic == MICROSECONDS || magic == NANOSECONDS;
        if (!big && other != MICROSECONDS && other != NANOSECONDS) {
            throw new CaptureException(
                    "no capture: the file begins with 0x%08x, as neither pcap nor pcapng does".formatted(magic));
        }
        in.order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        boolean nanoseconds = magic == NANOSECONDS || other == NANOSECONDS;
        ByteBuffer header = in.read(HEADER_REST);
        return new PcapFormat(in, header.getInt(LINK_TYPE) & LINK_TYPE_MASK, nanoseconds ? 1 : NANOS_PER_MICRO);
    }

    @Override
    public CapturedPacket next() throws IOException {
        long start = in.offset();
        ByteBuffer record = in.readOrEnd(RECORD_HEADER);
        if (record == null) {
            return null;
        }
        int length = record.getInt(CAPTURED);
        if (length < 0 || length > CaptureInput.MAX_BLOCK) {
            throw new CaptureException("the record at offset " + start + " claims a packet of "
                    + Integer.toUnsignedString(length) + " octets");
        }
        Instant time = Instant.ofEpochSecond(
                Integer.toUnsignedLong(record.getInt(0)), Integer.toUnsignedLong(record.getInt(FRACTION)) * unit);
        return new CapturedPacket(++number, time, linkType, in.read(length).order(ByteOrder.BIG_ENDIAN));
    }
}
