package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.Iwarp.Fault;
import io.verbena.verbs.iwarp.internal.wire.ReadRequestHeader;
import io.verbena.verbs.iwarp.internal.wire.StreamFault;
import io.verbena.verbs.iwarp.internal.wire.TerminateHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ScatteringByteChannel;
import java.util.zip.CRC32C;

/**
 * Finds FPDUs in the stream (RFC 5044 section 4). FPDUs are read into a staging buffer, which is longer while many come
 * at once. The rest of a large FPDU whose target region is known is read straight into that region. Only the receive
 * thread calls this.
 */
public final class FpduReader {
    public static final int STAGING = 256 << 10;

    /** The octets of the staging buffer while little comes. */
    static final int SHORT_STAGING = 16 << 10;

    /** The reads in a row that fill the short staging buffer before a long one takes its place. */
    private static final int FULL_READS = 2;

    /** The least number of octets that have to be missing of an FPDU for its payload to be read into place. */
    private static final int DIRECT_MINIMUM = 16 << 10;
    /**
     * Where FPDUs are on average larger than this, a read into the staging buffer is short, so that most octets go
     * straight into place.
     */
    private static final int LARGE_FPDU = 24 << 10;

    private static final int LARGE_WINDOW = 8 << 10;
    private static final int LONGEST_HEADER =
            Iwarp.MPA_LENGTH_SIZE + DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;

    private final Staging memory;
    private final ByteBuffer[] scatter = new ByteBuffer[2];
    private final ByteBuffer header = ByteBuffer.allocate(LONGEST_HEADER);
    private final CRC32C crc = new CRC32C();
    private final boolean useCrc;
    private final DdpSegmentReceiver segments;
    private final ConnectionTap tap;

    // views of the present staging buffer
    private ByteBuffer staging;
    private ByteBuffer readView;
    private ByteBuffer crcView;
    private ByteBuffer crcValue;

    private int position;
    private int end;
    private int averageFpdu;
    private int fullReads;
    private boolean shortRead;

    // the current segment
    private int segmentLength;
    private boolean direct;
    /**
     * The segment is read whole first. That was decided when its header arrived, and is not decided again at each read.
     */
    private boolean whole;

    private long targetOffset;
    private int missing;

    /** @param memory direct, of {@link #SHORT_STAGING} or {@link #STAGING} octets */
    public FpduReader(Staging memory, boolean useCrc, DdpSegmentReceiver segments, ConnectionTap tap) {
        this.memory = memory;
        this.useCrc = useCrc;
        this.segments = segments;
        this.tap = tap;
        use(memory.buffer());
    }

    private void use(ByteBuffer buffer) {
        staging = buffer.clear().order(ByteOrder.BIG_ENDIAN);
        readView = staging.duplicate();
        crcView = staging.duplicate();
        crcValue = staging.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Has a long staging buffer take the place of the short one, where there is memory for it. */
    private boolean grow() {
        ByteBuffer former = staging;
        if (!memory.grow()) {
            return false;
        }
        use(memory.buffer());
        staging.put(0, former, position, end - position);
        end -= position;
        position = 0;
        return true;
    }

    /** Whether the long staging buffer is in use. */
    public boolean isGrown() {
        return memory.isGrown();
    }

    /** Gives the long staging buffer back, unless octets are in it. */
    public void trim() {
        if (memory.isGrown() && !isMidway()) {
            memory.shrink();
            use(memory.buffer());
        }
    }

    /** Whether the last read returned fewer octets than there was room for: the socket is likely empty. */
    public boolean wasShort() {
        return shortRead;
    }

    /** Whether the stream is in the middle of an FPDU. */
    public boolean isMidway() {
        return direct || position != end;
    }

    /** Reads once; returns what the channel returned. */
    public long read(ScatteringByteChannel channel) throws IOException, StreamFault {
        if (direct && missing > 0) {
            return readDirect(channel);
        }
        int window = window();
        readView.limit(end + window).position(end);
        int n = channel.read(readView);
        shortRead = n < window;
        fullReads = shortRead || averageFpdu > LARGE_FPDU ? 0 : fullReads + 1;
        end += Math.max(n, 0);
        return n;
    }

    private int window() {
        int free = staging.capacity() - end;
        return averageFpdu > LARGE_FPDU ? Math.min(free, LARGE_WINDOW) : free;
    }

    private long readDirect(ScatteringByteChannel channel) throws IOException, StreamFault {
        Region region = segments.target();
        segments.enterTarget();
        try {
            ByteBuffer target = region.receiveView(targetOffset, missing);
            int start = target.position();
            int room = target.remaining();
            long n;
            if (room == missing) {
                // the staging buffer holds nothing that precedes the end of this FPDU's payload
                readView.limit(end + LARGE_WINDOW).position(end);
                scatter[0] = target;
                scatter[1] = readView;
                n = channel.read(scatter, 0, 2);
                end = readView.position();
                shortRead = n < room + LARGE_WINDOW;
            } else {
                n = channel.read(target);
                shortRead = n < room;
            }
            int placed = target.position() - start;
            if (useCrc && placed > 0) {
                crc.update(target.flip().position(start));
            }
            targetOffset += placed;
            missing -= placed;
            return n;
        } finally {
            region.leave();
        }
    }

    /** Handles all FPDUs that have arrived. */
    public void process() throws StreamFault, RdmaException {
        for (; ; ) {
            if (direct) {
                if (!finishDirect()) {
                    return;
                }
            } else if (!processNext()) {
                makeRoom();
                return;
            }
        }
    }

    private boolean processNext() throws StreamFault, RdmaException {
        int available = end - position;
        if (available < Iwarp.MPA_LENGTH_SIZE) {
            return false;
        }
        segmentLength = staging.getShort(position) & 0xffff;
        int length = fpduLength();
        if (available >= length) {
            tap.received(staging, position, length);
            crc.reset();
            int trailer = position + length - Iwarp.MPA_CRC_SIZE;
            checkCrc(position, trailer);
            segments.onSegment(staging, position + Iwarp.MPA_LENGTH_SIZE, segmentLength);
            position += length;
            averageFpdu += (length - averageFpdu) / 8;
            whole = false;
            return true;
        }
        boolean fits = length <= staging.capacity();
        if ((fits && (whole || length - available < DIRECT_MINIMUM)) || available < LONGEST_HEADER) {
            return false;
        }
        // observers are told of whole frames
        whole = (tap.isObserved() && (fits || grow())) || !beginDirect(available);
        if (whole && length > staging.capacity() && !grow()) {
            throw new RdmaException(
                    RdmaException.Kind.RESOURCES, "no memory for a frame of " + length + " octets that is read whole");
        }
        return !whole;
    }

    private int fpduLength() {
        return Iwarp.MPA_LENGTH_SIZE + segmentLength + Iwarp.padding(segmentLength) + Iwarp.MPA_CRC_SIZE;
    }

    /**
     * Starts to read the payload into place. Returns false for a segment with a fault: it is read whole first, as its
     * CRC may be wrong.
     */
    private boolean beginDirect(int available) throws StreamFault {
        int at = position + Iwarp.MPA_LENGTH_SIZE;
        try {
            segments.resolve(staging, at, segmentLength);
        } catch (StreamFault e) {
            return false;
        }
        if (!segments.hasTarget()) {
            return false;
        }
        header.put(0, staging, at, LONGEST_HEADER - Iwarp.MPA_LENGTH_SIZE);
        int headerLength = Iwarp.MPA_LENGTH_SIZE + DdpHeader.length(staging, at);
        int here = Math.min(available - headerLength, segments.payload());
        direct = true;
        targetOffset = segments.targetOffset();
        segments.enterTarget();
        try {
            segments.target().copyIn(targetOffset, staging, position + headerLength, here);
        } finally {
            segments.target().leave();
        }
        crc.reset();
        if (useCrc) {
            crc.update(crcView.limit(position + headerLength + here).position(position));
        }
        targetOffset += here;
        missing = segments.payload() - here;
        position += headerLength + here;
        makeRoom();
        return true;
    }

    private boolean finishDirect() throws StreamFault {
        int padding = Iwarp.padding(segmentLength);
        if (missing > 0 || end - position < padding + Iwarp.MPA_CRC_SIZE) {
            return false;
        }
        checkCrc(position, position + padding);
        direct = false;
        position += padding + Iwarp.MPA_CRC_SIZE;
        averageFpdu += (fpduLength() - averageFpdu) / 8;
        segments.finishPlaced(header, 0);
        return true;
    }

    private void checkCrc(int from, int to) throws StreamFault {
        if (!useCrc) {
            return;
        }
        crc.update(crcView.limit(to).position(from));
        int expected = (int) crc.getValue();
        if (crcValue.getInt(to) != expected) {
            throw new StreamFault(
                    Fault.MPA_CRC, String.format("0x%08x instead of 0x%08x", crcValue.getInt(to), expected));
        }
    }

    /** Moves the remaining octets to the front where the octets to come would not fit behind them. */
    private void makeRoom() {
        if (fullReads >= FULL_READS && memory.mayGrow()) {
            fullReads = 0;
            boolean unused = grow();
        }
        if (position == end) {
            position = 0;
            end = 0;
        } else if (staging.capacity() - position < Iwarp.MPA_MAX_ULPDU + LONGEST_HEADER + LARGE_WINDOW) {
            staging.put(0, staging, position, end - position);
            end -= position;
            position = 0;
        }
    }

    /** Writes the Terminate header for a fault in the current segment; returns its length. */
    public int putTerminate(ByteBuffer b, Fault fault) {
        if (fault.layer == Iwarp.LAYER_LLP) {
            return TerminateHeader.put(b, 0, fault, null, 0, false);
        }
        if (!direct) {
            int at = position + Iwarp.MPA_LENGTH_SIZE;
            header.put(0, staging, at, Math.min(segmentLength, LONGEST_HEADER - Iwarp.MPA_LENGTH_SIZE));
        }
        boolean readRequest = DdpHeader.opcode(header, 0) == Iwarp.READ_REQUEST
                && !DdpHeader.isTagged(header, 0)
                && fault.layer == Iwarp.LAYER_RDMAP
                && fault.type == Iwarp.ETYPE_RDMAP_PROTECTION;
        return TerminateHeader.put(b, 0, fault, header, segmentLength, readRequest);
    }
}
