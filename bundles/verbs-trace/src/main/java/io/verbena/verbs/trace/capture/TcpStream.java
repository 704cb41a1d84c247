package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts the octets of one direction of a connection in order. Segments may be duplicate, overlapping, late or missing.
 */
final class TcpStream {
    /** Receives the octets in order. */
    interface Sink {
        /** @param octets the new octets of one segment */
        void onOctets(ByteBuffer octets, CapturedPacket packet);

        /** {@code missing} octets are not in the capture, although later ones are. */
        void onGap(long missing);
    }

    /** When this many octets wait for earlier ones, the earlier ones count as missing from the capture. */
    static final int MAX_EARLY = 8 << 20;

    /** The memory of a segment besides its packet's octets. */
    private static final int OVERHEAD = 256;

    private record Early(ByteBuffer octets, CapturedPacket packet) {
        /** The octets that the segment holds: the whole packet, even if only a part of it is payload. */
        int size() {
            return OVERHEAD + packet.data().capacity();
        }
    }

    private final Sink sink;
    private final TreeMap<Long, Early> early = new TreeMap<>();
    private long earlyOctets;
    /** The next expected octet as TCP's sequence number; below, the same counted from the stream's first octet. */
    private int sequence;

    private long position;

    /** @param sequence the sequence number of the first octet */
    TcpStream(int sequence, Sink sink) {
        this.sequence = sequence;
        this.sink = sink;
    }

    /** Whether the stream began with this sequence number. */
    boolean beganWith(int firstSequence) {
        return sequence - firstSequence == (int) position;
    }

    void add(TcpSegment segment) {
        int length = segment.payload().remaining();
        long start = position + (segment.sequence() - sequence);
        if (length == 0 || start + length <= position) {
            return;
        }
        if (start <= position) {
            take(start, segment.payload(), segment.packet());
        } else {
            keep(start, new Early(segment.payload(), segment.packet()));
            if (earlyOctets > MAX_EARLY) {
                skipGap();
            }
        }
        takeEarly();
    }

    private void keep(long start, Early segment) {
        Early before = early.get(start);
        if (before == null || before.octets.remaining() < segment.octets.remaining()) {
            early.put(start, segment);
            earlyOctets += segment.size() - (before == null ? 0 : before.size());
        }
    }

    private void take(long start, ByteBuffer octets, CapturedPacket packet) {
        int known = (int) (position - start);
        if (known < octets.remaining()) {
            ByteBuffer fresh = octets.slice(known, octets.remaining() - known);
            position += fresh.remaining();
            sequence += fresh.remaining();
            sink.onOctets(fresh, packet);
        }
    }

    private void takeEarly() {
        while (!early.isEmpty() && early.firstKey() <= position) {
            Map.Entry<Long, Early> first = early.pollFirstEntry();
            earlyOctets -= first.getValue().size();
            take(first.getKey(), first.getValue().octets, first.getValue().packet);
        }
    }

    private void skipGap() {
        long missing = early.firstKey() - position;
        position += missing;
        sequence += (int) missing;
        sink.onGap(missing);
    }

    /** Ends the stream: octets that wait for missing ones are delivered without them. */
    void finish() {
        while (!early.isEmpty()) {
            skipGap();
            takeEarly();
        }
    }
}
