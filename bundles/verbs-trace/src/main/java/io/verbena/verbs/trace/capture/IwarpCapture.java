package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads the iWARP connections of a capture. Other traffic is skipped. A connection that began before the capture is
 * skipped up to the first segment that begins with a frame.
 */
public final class IwarpCapture {
    private final CaptureHandler handler;
    private final PacketDecoder decoder = new PacketDecoder();
    private final Map<Flow, Half> halves = new HashMap<>();
    private final Set<Integer> iwarp = new LinkedHashSet<>();
    private int connections;
    private long packets;
    private long missing;
    private long left;

    /** One direction of a connection. */
    private record Half(TcpStream tcp, MpaStream mpa) {}

    private IwarpCapture(CaptureHandler handler) {
        this.handler = handler;
    }

    /**
     * Reads a capture to its end.
     *
     * @param in the capture; it is closed
     * @param handler called on the calling thread, also for the traffic before the point where a capture is truncated
     * @throws CaptureException where the file is not a capture
     */
    public static CaptureSummary read(InputStream in, CaptureHandler handler) throws IOException {
        try (in;
                CaptureReader reader = CaptureReader.open(in)) {
            IwarpCapture capture = new IwarpCapture(handler);
            capture.readAll(reader);
            return capture.finish();
        }
    }

    private void readAll(CaptureReader reader) throws IOException {
        for (; ; ) {
            CapturedPacket packet;
            try {
                packet = reader.next();
            } catch (CaptureException e) {
                handler.onProblem(e.getMessage());
                return;
            }
            if (packet == null) {
                return;
            }
            packets++;
            TcpSegment segment = decoder.decode(packet);
            if (segment != null) {
                add(segment);
            }
        }
    }

    private void add(TcpSegment segment) {
        Half half = halves.get(segment.flow());
        if (segment.syn()) {
            if (half == null || !half.tcp.beganWith(segment.sequence() + 1)) {
                begin(segment, half);
            }
            return;
        }
        if (!segment.payload().hasRemaining()) {
            return;
        }
        if (half == null) {
            half = make(segment.flow(), shared(segment.flow()), segment.sequence(), false);
        }
        if (!half.mpa.isForeign()) {
            half.tcp.add(segment);
        }
    }

    /** Begins a connection. There may have been an earlier one between the same ports. */
    private void begin(TcpSegment segment, Half before) {
        if (before != null) {
            end(before);
        }
        Flow flow = segment.flow();
        if (!segment.ack()) {
            Half opposite = halves.remove(flow.reversed());
            if (opposite != null) {
                end(opposite);
            }
            make(flow, new MpaConnection(connections++), segment.sequence() + 1, true);
        } else {
            make(flow, shared(flow), segment.sequence() + 1, true);
        }
    }

    private MpaConnection shared(Flow flow) {
        Half opposite = halves.get(flow.reversed());
        return opposite == null ? new MpaConnection(connections++) : opposite.mpa.connection();
    }

    private Half make(Flow flow, MpaConnection connection, int sequence, boolean fromStart) {
        CapturedConnection name = new CapturedConnection(connection.number(), flow.source(), flow.destination());
        MpaStream mpa = new MpaStream(name, connection, fromStart, handler);
        Half half = new Half(new TcpStream(sequence, mpa), mpa);
        halves.put(flow, half);
        return half;
    }

    private void end(Half half) {
        half.tcp.finish();
        if (half.mpa.isIwarp()) {
            iwarp.add(half.mpa.connection().number());
            missing += half.mpa.missing();
            left += half.mpa.left();
        }
    }

    private CaptureSummary finish() {
        halves.values().forEach(this::end);
        decoder.unknownLinkTypes()
                .forEach(type -> handler.onProblem("packets of the link type " + type
                        + " were passed over: Ethernet, Linux cooked, loopback and raw IP are read"));
        if (decoder.fragments() > 0) {
            handler.onProblem(decoder.fragments() + " fragments of IP datagrams were passed over");
        }
        return new CaptureSummary(packets, iwarp.size(), missing, left);
    }
}
