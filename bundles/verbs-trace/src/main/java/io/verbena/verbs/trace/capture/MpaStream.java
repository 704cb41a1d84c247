package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Finds MPA's frames in one direction of a connection. Where the capture lacks the beginning or octets in between, the
 * stream waits for a segment that begins with a frame; senders align frames with segments where they can (RFC 5044
 * section 5.1).
 */
final class MpaStream implements TcpStream.Sink {
    private enum State {
        /** At the beginning of the stream. */
        START,
        /** Behind the handshake. */
        FRAMES,
        /** At an unknown place in the stream. */
        LOST,
        /** In a stream that is not iWARP. */
        FOREIGN
    }

    private final CapturedConnection name;
    private final MpaConnection connection;
    private final CaptureHandler handler;
    private final SendAssembler sends;
    private State state;
    private byte[] unframed = new byte[0];
    private int held;
    private boolean framed;
    private long missing;
    private long left;

    /** @param fromStart whether the octets begin with the connection's first octet */
    MpaStream(CapturedConnection name, MpaConnection connection, boolean fromStart, CaptureHandler handler) {
        this.name = name;
        this.connection = connection;
        this.handler = handler;
        sends = new SendAssembler(name, handler);
        state = fromStart ? State.START : State.LOST;
    }

    /** Whether the stream is not iWARP, so that its octets are ignored. */
    boolean isForeign() {
        return state == State.FOREIGN;
    }

    /** Whether there was a frame. */
    boolean isIwarp() {
        return framed;
    }

    MpaConnection connection() {
        return connection;
    }

    /** The octets that the capture lacks. */
    long missing() {
        return missing;
    }

    /** The octets that do not form a whole frame; for use at the end. */
    long left() {
        return framed ? left + held : 0;
    }

    @Override
    public void onGap(long octets) {
        sends.onGap();
        if (state == State.FOREIGN) {
            return;
        }
        if (framed) {
            missing += octets;
            handler.onProblem(describe() + ": " + octets + " octets are not in the capture");
        }
        lose();
    }

    private void lose() {
        left += held;
        held = 0;
        state = State.LOST;
    }

    @Override
    public void onOctets(ByteBuffer octets, CapturedPacket packet) {
        if (connection.isRefused()) {
            state = State.FOREIGN;
        }
        if (state == State.LOST) {
            find(octets);
        }
        if (state == State.FOREIGN || state == State.LOST) {
            left += octets.remaining();
            return;
        }
        ByteBuffer all = held == 0 ? octets : append(octets);
        int taken = takeFrames(all, packet);
        keep(all, taken);
    }

    private void find(ByteBuffer segment) {
        if (segment.remaining() >= IwarpNumbers.MPA_HEADER && IwarpNumbers.mayBeginWithKey(segment)) {
            state = State.START;
        } else if (isFrames(segment)) {
            sends.onGap();
            state = State.FRAMES;
        }
    }

    /**
     * Whether a segment begins with an FPDU: one FPDU with a good CRC, or, without CRCs, several that fill the segment.
     */
    private static boolean isFrames(ByteBuffer segment) {
        int at = segment.position();
        while (at < segment.limit()) {
            if (!IwarpNumbers.mayBeFpdu(segment, at, segment.limit())) {
                return false;
            }
            int length = IwarpNumbers.fpduLength(Short.toUnsignedInt(segment.getShort(at)));
            if (length > segment.limit() - at) {
                return false;
            }
            if (IwarpNumbers.hasGoodCrc(segment.slice(at, length))) {
                return true;
            }
            at += length;
        }
        return segment.hasRemaining();
    }

    private ByteBuffer append(ByteBuffer octets) {
        int needed = held + octets.remaining();
        if (needed > unframed.length) {
            unframed = Arrays.copyOf(unframed, Math.max(needed, 2 * unframed.length));
        }
        octets.get(octets.position(), unframed, held, octets.remaining());
        return ByteBuffer.wrap(unframed, 0, needed);
    }

    private void keep(ByteBuffer all, int taken) {
        int rest = all.remaining() - taken;
        if (state == State.FOREIGN || state == State.LOST) {
            left += rest;
            held = 0;
            return;
        }
        if (rest > unframed.length) {
            unframed = Arrays.copyOf(unframed, rest);
        }
        // source and target may be the same array: get handles the overlap
        all.get(all.position() + taken, unframed, 0, rest);
        held = rest;
    }

    private int takeFrames(ByteBuffer all, CapturedPacket packet) {
        int at = 0;
        int length = frameLength(all, 0, packet);
        while (length > 0 && length <= all.remaining() - at) {
            ByteBuffer frame = all.slice(all.position() + at, length);
            at += length;
            take(frame, packet);
            length = frameLength(all, at, packet);
        }
        return at;
    }

    /** The length of the frame at an offset; 0 where octets are missing or do not form a frame. */
    private int frameLength(ByteBuffer all, int offset, CapturedPacket packet) {
        int at = all.position() + offset;
        int there = all.remaining() - offset;
        if (state == State.START) {
            return handshakeLength(all.slice(at, there), packet);
        }
        if (state != State.FRAMES || there < IwarpNumbers.ULPDU_LENGTH + 2) {
            return 0;
        }
        if (!IwarpNumbers.mayBeFpdu(all, at, all.limit())) {
            handler.onProblem("packet " + packet.number() + ", " + describe()
                    + ": where an FPDU belongs there are the octets %08x".formatted(all.getInt(at)));
            sends.onGap();
            state = State.LOST;
            return 0;
        }
        return IwarpNumbers.fpduLength(Short.toUnsignedInt(all.getShort(at)));
    }

    private int handshakeLength(ByteBuffer b, CapturedPacket packet) {
        if (!IwarpNumbers.mayBeginWithKey(b)) {
            state = State.FOREIGN;
            return 0;
        }
        if (b.remaining() < IwarpNumbers.MPA_HEADER) {
            return 0;
        }
        int length = Short.toUnsignedInt(b.getShort(IwarpNumbers.MPA_DATA_LENGTH));
        if (length > IwarpNumbers.MPA_MAX_DATA) {
            handler.onProblem("packet " + packet.number() + ", " + describe() + ": an MPA frame with " + length
                    + " octets of private data, where " + IwarpNumbers.MPA_MAX_DATA + " are the most (RFC 5044 7.1)");
            state = State.FOREIGN;
            return 0;
        }
        return IwarpNumbers.MPA_HEADER + length;
    }

    private void take(ByteBuffer frame, CapturedPacket packet) {
        framed = true;
        if (state == State.START) {
            state = State.FRAMES;
            connection.onHandshake(frame.get(IwarpNumbers.MPA_FLAGS));
            handler.onFrame(name, frame, packet.number(), packet.time());
            if (connection.isRefused()) {
                handler.onProblem("packet " + packet.number() + ", " + describe()
                        + ": the connection has MPA markers (RFC 5044 4.3), which are not read");
                state = State.FOREIGN;
            }
            return;
        }
        if (connection.checksCrc() && !IwarpNumbers.hasGoodCrc(frame)) {
            handler.onProblem("packet " + packet.number() + ", " + describe() + ": an FPDU with a wrong CRC");
        }
        handler.onFrame(name, frame, packet.number(), packet.time());
        int length = Short.toUnsignedInt(frame.getShort(0));
        sends.add(frame.slice(IwarpNumbers.ULPDU_LENGTH, length), packet.number(), packet.time());
    }

    private String describe() {
        return CapturedConnection.text(name.source()) + " to " + CapturedConnection.text(name.destination());
    }
}
