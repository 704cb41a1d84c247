package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/** Puts the octets of one direction of a connection in order: segments may come twice, overlap, come late, or lack. */
final class TcpStream {
    /** Takes the octets in order. */
    interface Sink {
        /** @param octets of one segment, those that are new */
        void onOctets(ByteBuffer octets, CapturedPacket packet);

        /** So many octets are not in the capture, and others after them are. */
        void onGap(long missing);
    }

    /** So many octets that wait for earlier ones show that these are not in the capture. */
    static final int MAX_EARLY = 8 << 20;

    /** What is held for a segment beside its packet's octets. */
    private static final int OVERHEAD = 256;

    private record Early(ByteBuffer octets, CapturedPacket packet) {
        /** What it holds, in octets: the whole packet, however little of it is payload. */
        int size() {
            return OVERHEAD + packet.data().capacity();
        }
    }

    private final Sink sink;
    private final TreeMap<Long, Early> early = new TreeMap<>();
    private long earlyOctets;
    /** What is expected next, as TCP counts, and counted from the stream's first octet on. */
    private int sequence;

    private long position;

    /** @param sequence of the first octet */
    TcpStream(int sequence, Sink sink) {
        this.sequence = sequence;
        this.sink = sink;
    }

    /** Whether the stream began with that octet. */
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

    /** No more segments come: what waits for others is taken without them. */
    void finish() {
        while (!early.isEmpty()) {
            skipGap();
            takeEarly();
        }
    }
}
