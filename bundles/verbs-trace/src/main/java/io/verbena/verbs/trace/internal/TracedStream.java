package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.trace.capture.CaptureFpduWriter;
import io.verbena.verbs.trace.capture.IwarpWriter;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** One connection in the file. For the writer's thread. */
final class TracedStream {
    private static final String TCP_IS_MADE =
            "TCP's packets are made by Verbena: a program sees what a TCP connection carries, not its packets";
    private static final String FRAMES_ARE_MADE = "All packets of this connection are made by Verbena of the messages"
            + " that were posted and completed: only the device sees what it sends. RDMA Writes and Reads of the peer's"
            + " are not among them.";
    private static final String BEGAN_BEFORE =
            "The connection began before the trace: its MPA request and reply are made by Verbena";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final PcapngWriter out;
    private final TracedInterface from;
    private final int number;
    private final WireConnection first;
    private final CaptureFpduWriter initiatorFrames = new CaptureFpduWriter(frame -> write(true, frame, null));
    private final CaptureFpduWriter responderFrames = new CaptureFpduWriter(frame -> write(false, frame, null));
    private IwarpWriter tcp;
    private boolean requested;
    private boolean replied;
    private long nanos;
    /** The other end where it is traced as well; stays set after the end of either one. */
    private WireConnection second;

    private int ends = 1;

    TracedStream(PcapngWriter out, TracedInterface from, int number, WireConnection first) {
        this.out = out;
        this.from = from;
        this.number = number;
        this.first = first;
    }

    WireConnection first() {
        return first;
    }

    /** Notes that the other end is traced as well. */
    void joined(WireConnection other) {
        second = other;
        ends++;
    }

    /** Whether both ends are traced, or were traced before one ended. */
    boolean isTwofold() {
        return second != null;
    }

    /** Whether both ends are traced by different providers, one of which may report frames and the other messages. */
    boolean isOfTwoProviders() {
        return isTwofold() && !second.provider().equals(first.provider());
    }

    void write(Event event) throws IOException {
        nanos = event.nanos();
        boolean fromInitiator = event.connection().isInitiator() == event.sent();
        if (tcp == null) {
            open(event.message() != null);
        }
        if (event.lost() > 0) {
            tcp.skip(fromInitiator, event.lost());
        }
        if (event.message() == null) {
            shake(
                    CaptureFpduWriter.isHandshake(event.octets()),
                    CaptureFpduWriter.isReply(event.octets()),
                    event.octets());
            write(fromInitiator, event.octets(), comment(event));
        } else {
            writeMessage(event.message(), event.octets(), fromInitiator ? initiatorFrames : responderFrames);
        }
    }

    private static String comment(Event event) {
        return event.lost() == 0
                ? null
                : event.lost() + " octets of this direction before this frame were dropped: they came faster than they"
                        + " could be written";
    }

    private void open(boolean made) throws IOException {
        InetSocketAddress local = first.local();
        InetSocketAddress remote = first.remote();
        tcp = IwarpWriter.open(
                out,
                from.number(),
                first.isInitiator() ? local : remote,
                first.isInitiator() ? remote : local,
                number,
                nanos,
                made ? FRAMES_ARE_MADE : TCP_IS_MADE);
    }

    /** Writes a request and a reply before anything else. */
    private void shake(boolean handshake, boolean reply, ByteBuffer frame) throws IOException {
        boolean isRequest = handshake && !reply && !requested;
        boolean isReply = handshake && reply && !replied;
        if (!requested && !isRequest) {
            boolean crc = handshake || CaptureFpduWriter.hasCrc(frame);
            write(true, CaptureFpduWriter.handshake(false, crc, NOTHING), BEGAN_BEFORE);
        }
        requested = true;
        if (!replied && !isRequest) {
            if (!isReply) {
                write(false, CaptureFpduWriter.handshake(true, CaptureFpduWriter.hasCrc(frame), NOTHING), BEGAN_BEFORE);
            }
            replied = true;
        }
    }

    private void writeMessage(WireMessage message, ByteBuffer data, CaptureFpduWriter frames) throws IOException {
        switch (message.kind()) {
            case CONNECT_REQUEST -> {
                requested = true;
                write(true, CaptureFpduWriter.handshake(false, true, data), null);
                return;
            }
            case CONNECT_REPLY -> {
                replied = true;
                write(false, CaptureFpduWriter.handshake(true, true, data), null);
                return;
            }
            default -> {
                if (!requested) {
                    requested = true;
                    replied = true;
                    write(true, CaptureFpduWriter.handshake(false, true, NOTHING), BEGAN_BEFORE);
                    write(false, CaptureFpduWriter.handshake(true, true, NOTHING), null);
                }
            }
        }
        switch (message.kind()) {
            case SEND_WITH_INVALIDATE -> frames.sendWithInvalidate(message.tag(), data);
            case WRITE -> frames.write(message.tag(), message.offset(), data);
            case READ_REQUEST ->
                frames.readRequest(message.number(), message.length(), message.tag(), message.offset());
            case READ_RESPONSE -> frames.readResponse(message.number(), data);
            default -> frames.send(data);
        }
    }

    private void write(boolean fromInitiator, ByteBuffer frame, String comment) throws IOException {
        from.wrote(frame.remaining());
        tcp.frame(fromInitiator, nanos, frame, comment);
    }

    /** Ends one of the traced ends. Returns whether it was the last one. */
    boolean end(long when) throws IOException {
        ends--;
        if (ends == 0 && tcp != null) {
            tcp.close(when);
        }
        return ends == 0;
    }
}
